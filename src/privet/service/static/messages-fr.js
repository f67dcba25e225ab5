// French.

/** @type {Record<string, string>} */
export const words = {
  send: "Envoyer",
  loading: "Chargement de l’enquête …",
  private: "Votre réponse reste sur cet appareil. Seul un rapport aléatoire en sort (ε = {epsilon}).",
  atMost: "Au plus {most}.",
  type: "Tapez pour trouver une réponse.",
  sent: "Envoyé. Merci !",
  waiting: "Pas encore envoyé. Ce sera fait dès que le service sera joignable.",
  closed: "Refusé : cette enquête est close.",
  uninvited: "Refusé : cette enquête demande une invitation qui n’a pas encore servi.",
  refused: "Refusé par le service : {reason}.",
  answered: "Cet appareil a déjà répondu. Un second rapport en révélerait plus : aucun n’a été fait ni envoyé.",
  again: "Envoyer de nouveau",
  invalid: "Veuillez répondre à chaque question : {reason}",
  unsafe: "Cette enquête n’est pas posée : {reason}",
  forgetful: "Ce navigateur ne laisse pas la page retenir ce qu’elle a envoyé : rien n’est envoyé.",
  report: "Ce qui quitte cet appareil",
  names: "Le rapport nomme {count} :",
  denies: "Le rapport dit non à :",
  more: "… et {count} de plus",
  chances: "Votre réponse est parmi elles avec une probabilité de {own} %, toute autre avec {other} %.",
  ratio: "Aucune réponse ne rend ce rapport plus de {ratio} fois plus probable qu’une autre.",
  bytes: "Le rapport, octet par octet",
};
