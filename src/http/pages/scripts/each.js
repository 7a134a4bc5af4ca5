var isSending = false;

function each(selector, act) {
  Array.prototype.forEach.call(document.querySelectorAll(selector), act);
}
