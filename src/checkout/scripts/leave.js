// Redirects only once, so a customer can come back with the back button.
each('[data-leave]', function (leave) {
  history.replaceState(null, '', leave.getAttribute('data-here'));
  leave.hidden = false;
  var timer = setTimeout(function () {
    location.href = leave.getAttribute('data-leave');
  }, 5000);
  function stay() {
    clearTimeout(timer);
    leave.hidden = true;
  }
  leave.querySelector('button').addEventListener('click', stay);
  // Printing the receipt keeps the customer on the page.
  window.addEventListener('beforeprint', stay);
});
