/** Two buttons with the demo merchant's login; each copies what it shows. */
export function showLogin({ email, password }) {
  for (const [id, value] of [["login-email", email], ["login-password", password]]) {
    const code = document.getElementById(id);
    code.textContent = value;
    code.closest("button").addEventListener("click", () => copy(code));
  }
  document.getElementById("login").hidden = false;
}

async function copy(code) {
  let said = "Copied.";
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch { // No permission: mark the text, so that one keystroke copies it.
    getSelection().selectAllChildren(code);
    said = "Selected. Copy it with the keyboard.";
  }
  document.getElementById("announcer").textContent = said;
  const { classList } = code.closest("button");
  classList.add("copied");
  setTimeout(() => classList.remove("copied"), 1500);
}
