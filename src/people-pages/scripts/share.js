// Some browsers can't share. If they can't copy either, the link beside the button remains.
each('[data-share]', function (button) {
  var url = button.getAttribute('data-share');
  var canCopy = navigator.clipboard && navigator.clipboard.writeText;
  if (!navigator.share && !canCopy) return;
  if (!navigator.share) button.textContent = button.getAttribute('data-copy');
  function showCopied() {
    button.textContent = button.getAttribute('data-copied');
  }
  function hide() {
    button.hidden = true;
  }
  button.hidden = false;
  button.addEventListener('click', function () {
    // Browsers reject the promise if the person changes their mind.
    if (navigator.share) return navigator.share({ url: url }).then(null, function () {});
    navigator.clipboard.writeText(url).then(showCopied, hide);
  });
});
