/**
 * Hides the buttons of what is refused (board.ts). Bull Board's own switches know only all or nothing, so here all is hidden and
 * what may be done is shown: what has the icon of a retry. Its class names end in a hash that changes with the version: only
 * their beginnings count. The browser test finds out when that is no longer so.
 */
export const ownStyle = `
[class^="jobActions-"] > li:not(:has(.lucide-refresh-cw)),
[class^="queueActions-"] > li:not(:has(.lucide-refresh-cw)),
button[class*="trigger-"]:has(.lucide-ellipsis-vertical),
[role="menu"] > div[role="menuitem"]:has(.lucide-pause, .lucide-play),
[role="dialog"] dl button,
[class^="badgeWrap-"],
[class^="appVersion-"] { display: none !important; }

[class^="jobActions-"] button:has(.lucide-refresh-cw) { display: inline-flex; align-items: center; gap: 0.4em; width: auto; }
[class^="jobActions-"] button:has(.lucide-refresh-cw)::after { content: 'Retry'; }
a[class^="externalLink-"] { text-decoration: underline !important; }
[class^="jobName-"] { white-space: normal !important; overflow-wrap: anywhere; }

#staff-pages { position: fixed; z-index: 100; bottom: 0; left: 0; width: 16.4rem; padding: 1rem; font: 0.9rem system-ui, sans-serif; }
#staff-pages a { display: block; padding: 0.35rem 0; color: var(--sidebar-foreground); }
body:has([class^="toggle-"][aria-expanded="false"]) #staff-pages { display: none; }
@media (max-width: 64rem) { #staff-pages { display: none; } }
`
