import type { UIConfig } from '@bull-board/api/typings/app'
import { navigation } from '../navigation.ts'

/** In UTC, as on all staff pages. */
const time = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const
const day = { day: 'numeric', month: 'short', ...time } as const

/** Bull Board's own options. */
export const uiConfig: UIConfig = {
  boardTitle: 'Payment intents',
  miscLinks: Object.entries(navigation).map(([url, text]) => ({ url, text })),
  hideDocsLink: true,
  hideRedisDetails: true,
  // Otherwise each poll runs CLIENT LIST once per queue.
  showWorkers: false,
  showMetrics: false,
  pollingInterval: { showSetting: false, forceInterval: 5 },
  locale: { lng: 'en-US' },
  dateFormats: { short: time, common: day, full: { year: 'numeric', ...day } },
  // The default fonts come from another host.
  theme: {
    light: { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' },
    dark: { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' },
  },
}

/** Only Bull Board's own bundle may run. Inline styles are allowed, because React sets the style of elements. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Hides the link to Bull Board's own site, and the buttons of operations that board.ts refuses. Bull Board can only
 * hide all buttons of a queue (readOnlyMode), so for support staff this hides all of them except Retry, which it finds
 * by its icon. The class names end in a hash that changes with the version, so the selectors match only their
 * beginnings. If a new version changes them, the browser test fails.
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
