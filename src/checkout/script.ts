/** Every page works without this script, which even old phones can run. */
export const checkoutScript = `(function () {
'use strict';
var isSending = false;

// Ignores a second click for 30 s. A form pays only once anyway.
each('form[method=post]', function (form) {
  var button = form.querySelector('button');
  var words = button.innerHTML;
  function enable() {
    isSending = false;
    button.removeAttribute('aria-disabled');
    button.innerHTML = words;
  }
  form.addEventListener('submit', function (event) {
    if (isSending) return event.preventDefault();
    isSending = true;
    button.setAttribute('aria-disabled', 'true');
    button.textContent = form.getAttribute('data-busy');
    setTimeout(enable, 30000);
  });
  window.addEventListener('pageshow', enable);
});

// Polls every 3 s for 2 minutes, every 10 s for 8 minutes, then every 30 s.
each('[data-live]', function (live) {
  var polls = 0;
  var left = document.querySelector('[data-left]');
  var timer;
  function schedulePoll() {
    clearTimeout(timer);
    timer = setTimeout(poll, polls < 40 ? 3000 : polls < 90 ? 10000 : 30000);
  }
  function poll() {
    clearTimeout(timer);
    if (document.hidden) return;
    if (isSending) return schedulePoll();
    polls += 1;
    var request = new XMLHttpRequest();
    request.open('GET', live.getAttribute('data-live'));
    request.timeout = 10000;
    request.onload = function () {
      if (request.status !== 200 || isSending) return;
      var update = JSON.parse(request.responseText);
      // The page must not show a code that is no longer active.
      var isOld = update.state !== live.getAttribute('data-state') || (live.hasAttribute('data-code') && !update.isCodeActive);
      if (isOld) location.replace(live.getAttribute('data-here'));
      else if (left && left.textContent !== update.left) left.textContent = update.left;
    };
    request.onloadend = schedulePoll;
    request.send();
  }
  document.addEventListener('visibilitychange', poll);
  window.addEventListener('pageshow', function (event) { if (event.persisted) poll(); });
  schedulePoll();
});

// Redirects only once, so a customer can come back with the back button.
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

each('[data-print]', function (button) {
  button.hidden = false;
  button.addEventListener('click', function () { window.print(); });
});

function each(selector, act) {
  Array.prototype.forEach.call(document.querySelectorAll(selector), act);
}
})();
`
