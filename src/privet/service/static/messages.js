// What the survey's element says, by language. English is here, and stands in for what another language
// lacks. To add one, write a file beside these and its name to FILES, or add to `messages` from a page of your own.

const FILES = ["de", "fr"];

/** @type {Record<string, Record<string, string>>} */
export const messages = {
  en: {
    send: "Send",
    loading: "Loading the survey …",
    private: "Your answer stays on this device. Only a random report leaves it (ε = {epsilon}).",
    atMost: "At most {most}.",
    type: "Type to find an answer.",
    sent: "Sent. Thank you!",
    waiting: "Not sent yet. It will be sent as soon as the service can be reached.",
    closed: "Refused: this survey is closed.",
    uninvited: "Refused: this survey needs an invitation that has not been used.",
    refused: "Refused by the service: {reason}.",
    answered: "This device has already answered. A second report would reveal more, so nothing was made or sent.",
    again: "Send again",
    invalid: "Please answer every question: {reason}",
    unsafe: "This survey is not asked: {reason}",
    forgetful: "This browser does not let the page remember what it sent, so nothing is sent.",
    report: "What leaves this device",
    names: "The report names {count}:",
    denies: "The report says no to:",
    more: "… and {count} more",
    chances: "What you answered is among these with a chance of {own} %, and anything else with {other} %.",
    ratio: "No answer makes this report more than {ratio} times as likely as any other answer does.",
    bytes: "The report, byte by byte",
  },
};

/**
 * Load what is said in a language, and return the language that there is.
 * @param {string} tag such as de-AT
 */
export async function spoken(tag) {
  const lang = tag.toLowerCase().split("-")[0];
  if (!Object.hasOwn(messages, lang) && FILES.includes(lang))
    await import(`./messages-${lang}.js`).then(({ words }) => (messages[lang] = words), () => undefined);
  return Object.hasOwn(messages, lang) ? lang : "en";
}
