each('[data-print]', function (button) {
  button.hidden = false;
  button.addEventListener('click', function () {
    window.print();
  });
});
