/**
 * The one script of the hosted pages, in words that old phones understand. It only helps: without it every page works. A constant, so
 * that the compiler alone carries it to dist.
 */
export const script = `(function () {
'use strict';
var isSending = false;

// A second click sends nothing. After a while, or when the page comes back from the browser's memory, it may be sent again: the same
// form is one payment, however often it comes.
each('form[method=post]', function (form) {
  var button = form.querySelector('button');
  var words = button.innerHTML;
  function free() {
    isSending = false;
    button.removeAttribute('aria-disabled');
    button.innerHTML = words;
  }
  form.addEventListener('submit', function (event) {
    if (isSending) return event.preventDefault();
    isSending = true;
    button.setAttribute('aria-disabled', 'true');
    button.textContent = form.getAttribute('data-busy');
    setTimeout(free, 30000);
  });
  window.addEventListener('pageshow', free);
});

// While the payment can change, the page asks how it stands: for 2 minutes every 3 s, to the tenth every 10 s, then every 30 s.
each('[data-live]', function (live) {
  var looks = 0;
  var left = document.querySelector('[data-left]');
  var timer;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(look, looks < 40 ? 3000 : looks < 90 ? 10000 : 30000);
  }
  function look() {
    clearTimeout(timer);
    if (document.hidden) return;
    if (isSending) return later();
    looks += 1;
    var ask = new XMLHttpRequest();
    ask.open('GET', live.getAttribute('data-live'));
    ask.timeout = 10000;
    ask.onload = function () {
      if (ask.status !== 200 || isSending) return;
      var told = JSON.parse(ask.responseText);
      if (told.state !== live.getAttribute('data-state')) location.replace(live.getAttribute('data-here'));
      else if (left && left.textContent !== told.left) left.textContent = told.left;
    };
    ask.onloadend = later;
    ask.send();
  }
  document.addEventListener('visibilitychange', look);
  window.addEventListener('pageshow', function (event) { if (event.persisted) look(); });
  later();
});

// Right after paying: back to the merchant, once. Whoever comes back by the browser's button stays.
each('[data-leave]', function (leave) {
  history.replaceState(null, '', leave.getAttribute('data-here'));
  leave.hidden = false;
  var timer = setTimeout(function () { location.href = leave.getAttribute('data-leave'); }, 5000);
  leave.querySelector('button').addEventListener('click', function () {
    clearTimeout(timer);
    leave.hidden = true;
  });
});

function each(selector, act) {
  Array.prototype.forEach.call(document.querySelectorAll(selector), act);
}
})();
`
