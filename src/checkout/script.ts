import { buildScript, pollState, printButtons, sendOnce } from '../http/pages/script.ts'

const leaving = `// Redirects only once, so a customer can come back with the back button.
each('[data-leave]', function (leave) {
  history.replaceState(null, '', leave.getAttribute('data-here'));
  leave.hidden = false;
  var timer = setTimeout(function () { location.href = leave.getAttribute('data-leave'); }, 5000);
  function stay() {
    clearTimeout(timer);
    leave.hidden = true;
  }
  leave.querySelector('button').addEventListener('click', stay);
  // Printing the receipt keeps the customer on the page.
  window.addEventListener('beforeprint', stay);
});
`

/** Polls every 3 s for 2 minutes, every 10 s for 8 minutes, then every 30 s. */
export const checkoutScript = buildScript(
  sendOnce,
  pollState('polls < 40 ? 3000 : polls < 90 ? 10000 : 30000'),
  leaving,
  printButtons,
)
