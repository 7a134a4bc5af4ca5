// Screen readers may skip text that a stylesheet adds to an icon.
new MutationObserver(() => {
  for (const icon of document.querySelectorAll(
    '[class^="jobActions-"] button:not([aria-label]) .lucide-refresh-cw'
  ))
    icon.closest('button').setAttribute('aria-label', 'Retry');
}).observe(document, { childList: true, subtree: true });
