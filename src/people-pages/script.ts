import { buildScript, pollState, printButtons, sendOnce } from '../http/pages/script.ts'

/** Some browsers can't share. If they can't copy either, the link beside the button remains. */
const shareButtons = `each('[data-share]', function (button) {
  var url = button.getAttribute('data-share');
  var canCopy = navigator.clipboard && navigator.clipboard.writeText;
  if (!navigator.share && !canCopy) return;
  if (!navigator.share) button.textContent = button.getAttribute('data-copy');
  button.hidden = false;
  button.addEventListener('click', function () {
    // Browsers reject the promise if the person changes their mind.
    if (navigator.share) return navigator.share({ url: url }).then(null, function () {});
    navigator.clipboard.writeText(url).then(function () {
      button.textContent = button.getAttribute('data-copied');
    }, function () { button.hidden = true; });
  });
});
`

/** Polls each second for 15 minutes, in which nearly everybody pays at a counter, then every 5 s. */
export const personScript = buildScript(
  sendOnce,
  pollState('polls < 900 ? 1000 : 5000'),
  shareButtons,
  printButtons,
)
