// Looks at a file without leaving the page, so that it need not be chosen a second time
// to have its plan carried out. Without this the forms work by themselves.
const look = document.getElementById("plan-look");
const result = document.getElementById("plan-result");

async function show(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = page.getElementById("plan-result") ?? page.querySelector("main");
    result.replaceChildren(...part.childNodes);
    keep();
    // A page has one button that is first: the one that carries a plan out, where there is one.
    document.querySelector("[data-else]").classList.toggle("primary", !document.getElementById("plan-apply"));
  } catch {
    const words = document.createElement("p");
    words.className = "wrong";
    words.setAttribute("role", "alert");
    words.textContent = look.dataset.failed;
    result.replaceChildren(words);
  } finally {
    button.disabled = false;
  }
}

// keep gives the form that carries the plan out the file that was looked at.
function keep() {
  const apply = document.getElementById("plan-apply");
  const file = look?.querySelector("input[type=file]");
  if (!apply || !file?.files.length) return;
  apply.querySelector("input[type=file]").files = file.files;
  apply.querySelector(".again").hidden = true;
}

look?.addEventListener("submit", (event) => {
  event.preventDefault();
  show(look);
});
result?.addEventListener("submit", (event) => {
  const { files } = event.target.querySelector("input[type=file]");
  if (!files.length) return;
  event.preventDefault();
  show(event.target);
});
