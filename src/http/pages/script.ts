/** Each part works alone, on old phones too. Every page works without scripts. */
export const buildScript = (...parts: string[]): string => `(function () {
'use strict';
var isSending = false;

${parts.join('\n')}
function each(selector, act) {
  Array.prototype.forEach.call(document.querySelectorAll(selector), act);
}
})();
`

/** The service also ignores a form that arrives twice. */
export const sendOnce = `// Ignores a second click for 30 s.
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
    button.textContent = form.getAttribute('data-busy') || button.textContent;
    setTimeout(enable, 30000);
  });
  window.addEventListener('pageshow', enable);
});
`

/** `delay` is a script expression: the ms to wait after `polls` polls. */
export const pollState = (delay: string): string => `each('[data-live]', function (live) {
  var polls = 0;
  var left = document.querySelector('[data-left]');
  var timer;
  function schedulePoll() {
    clearTimeout(timer);
    timer = setTimeout(poll, ${delay});
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
      if (isSending) return;
      // The session has ended.
      if (request.status === 403) return location.replace(live.getAttribute('data-here'));
      if (request.status !== 200) return;
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
`

export const printButtons = `each('[data-print]', function (button) {
  button.hidden = false;
  button.addEventListener('click', function () { window.print(); });
});
`
