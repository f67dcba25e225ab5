// The respondent's page: an invitation comes in the address's fragment, which no log has.

const survey = /** @type {HTMLElement} */ (document.getElementById("survey"));
const invitation = new URLSearchParams(location.hash.slice(1)).get("invitation");
if (invitation) survey.setAttribute("invitation", invitation);
document.querySelector("details")?.removeAttribute("open");
