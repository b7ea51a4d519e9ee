/** Shows the part of the page with the demo merchant's login. */
export function showLogin(account) {
  const login = document.getElementById("login");
  fillLogin(login, account);
  login.hidden = false;
}

/** The two buttons in `root` get the email and the password; each copies what it shows. */
export function fillLogin(root, account) {
  for (const code of root.querySelectorAll("code[data-login]")) {
    code.textContent = account[code.dataset.login];
    code.closest("button").addEventListener("click", () => copy(code));
  }
}

async function copy(code) {
  let said = "Copied.";
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch { // No permission: mark the text, so that one keystroke copies it.
    getSelection().selectAllChildren(code);
    said = "Selected. Copy it with the keyboard.";
  }
  const dialog = code.closest("dialog"); // What is outside of it says nothing while it is open.
  (dialog?.querySelector("[role=status]") ?? document.getElementById("announcer")).textContent = said;
  const { classList } = code.closest("button");
  classList.add("copied");
  setTimeout(() => classList.remove("copied"), 1500);
}
