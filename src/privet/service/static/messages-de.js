// German.

/** @type {Record<string, string>} */
export const words = {
  send: "Senden",
  loading: "Die Umfrage wird geladen …",
  private: "Ihre Antwort bleibt auf diesem Gerät. Nur ein zufälliger Bericht verlässt es (ε = {epsilon}).",
  atMost: "Höchstens {most}.",
  type: "Tippen Sie, um eine Antwort zu finden.",
  sent: "Gesendet. Danke!",
  waiting: "Noch nicht gesendet. Das geschieht, sobald der Dienst erreichbar ist.",
  closed: "Abgelehnt: Diese Umfrage ist beendet.",
  uninvited: "Abgelehnt: Für diese Umfrage braucht es eine Einladung, die noch nicht verwendet wurde.",
  refused: "Vom Dienst abgelehnt: {reason}.",
  answered: "Auf diesem Gerät wurde schon geantwortet. Ein zweiter Bericht würde mehr verraten; es wurde keiner erzeugt oder gesendet.",
  again: "Noch einmal senden",
  invalid: "Bitte beantworten Sie jede Frage: {reason}",
  unsafe: "Diese Umfrage wird nicht gestellt: {reason}",
  forgetful: "Dieser Browser lässt die Seite nicht behalten, was sie gesendet hat; deshalb wird nichts gesendet.",
  report: "Was dieses Gerät verlässt",
  names: "Der Bericht nennt {count}:",
  denies: "Der Bericht sagt Nein zu:",
  more: "… und {count} weitere",
  chances: "Ihre Antwort ist mit einer Wahrscheinlichkeit von {own} % darunter, jede andere mit {other} %.",
  ratio: "Keine Antwort macht diesen Bericht mehr als {ratio}-mal so wahrscheinlich wie eine andere.",
  bytes: "Der Bericht, Byte für Byte",
};
