/**
 * Hides the link to Bull Board's own site, and the buttons of operations that board.ts refuses. Bull Board can only hide all buttons of a queue (readOnlyMode), so for support staff this
 * hides all of them except Retry, which it finds by its icon. The class names end in a hash that changes with the version, so the selectors
 * match only their beginnings. If a new version changes them, the browser test fails.
 */
export const style = `
[class^="jobActions-"] > li:not(:has(.lucide-refresh-cw)),
[class^="queueActions-"] > li:not(:has(.lucide-refresh-cw)),
button[class*="trigger-"]:has(.lucide-ellipsis-vertical),
[role="menu"] > div[role="menuitem"]:has(.lucide-pause, .lucide-play),
[role="dialog"] dl button,
[class^="appVersion-"] { display: none !important; }

[class^="jobActions-"] button:has(.lucide-refresh-cw) { display: inline-flex; align-items: center; gap: 0.4em; width: auto; }
[class^="jobActions-"] button:has(.lucide-refresh-cw)::after { content: 'Retry'; }
a[class^="externalLink-"] { text-decoration: underline !important; }
[class^="jobName-"] { white-space: normal !important; overflow-wrap: anywhere; }
`
