// Ignores a second click for 30 s.
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
