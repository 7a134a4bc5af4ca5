each('[data-live]', function (live) {
  var polls = 0;
  var left = document.querySelector('[data-left]');
  var offline = document.querySelector('[data-offline]');
  var timer;
  function schedulePoll() {
    clearTimeout(timer);
    timer = setTimeout(poll, pollDelay(polls));
  }
  function poll() {
    clearTimeout(timer);
    if (document.hidden) return;
    if (isSending) return schedulePoll();
    polls += 1;
    var request = new XMLHttpRequest();
    request.open('GET', live.getAttribute('data-live'));
    request.timeout = 10000;
    request.addEventListener('load', function () {
      if (offline) offline.hidden = true;
      if (isSending) return;
      // The session has ended. An old browser may have followed a redirect to a page.
      var isPage = request.responseText.charAt(0) === '<';
      if (request.status === 403 || (request.status === 200 && isPage))
        return location.replace(live.getAttribute('data-here'));
      if (request.status !== 200) return;
      var update = JSON.parse(request.responseText);
      // The page must not show a code that is no longer active.
      var isOld =
        update.state !== live.getAttribute('data-state') ||
        (live.hasAttribute('data-code') && !update.isCodeActive);
      if (isOld) location.replace(live.getAttribute('data-here'));
      else if (left && left.textContent !== update.left) left.textContent = update.left;
    });
    function showOffline() {
      if (offline) offline.hidden = false;
    }
    request.addEventListener('error', showOffline);
    request.addEventListener('timeout', showOffline);
    request.addEventListener('loadend', schedulePoll);
    request.send();
  }
  document.addEventListener('visibilitychange', poll);
  window.addEventListener('pageshow', function (event) {
    if (event.persisted) poll();
  });
  schedulePoll();
});
