// A button that copies beside each block marked data-copy. Without this file the text is selected by hand.
for (const block of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = block.dataset.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = block.dataset.copied;
  });
  block.after(button);
}
