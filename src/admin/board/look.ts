import type { UIConfig } from '@bull-board/api/typings/app'
import { navigation } from '../navigation.ts'

const staffPages = Object.entries(navigation).map(([url, text]) => ({ url, text }))

/** In UTC, as on every page for staff. */
const time = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const
const day = { day: 'numeric', month: 'short', ...time } as const

/** How the board looks: what its own options allow. Nothing comes from another host. */
export const uiConfig: UIConfig = {
  boardTitle: 'Payment intents',
  // In a menu of its header, for small screens; elsewhere see boardPage.
  miscLinks: staffPages,
  hideDocsLink: true,
  hideRedisDetails: true,
  // Otherwise each look runs CLIENT LIST on Redis, once per queue.
  showWorkers: false,
  showMetrics: false,
  pollingInterval: { showSetting: false, forceInterval: 5 },
  locale: { lng: 'en-US' },
  dateFormats: { short: time, common: day, full: { year: 'numeric', ...day } },
  theme: {
    light: { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' },
    dark: { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' },
  },
}

/** Only its own bundle may run; React writes styles into elements, so those are allowed inline. */
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
 * The page that Bull Board ships, without the fonts of another host, with the way back to our other pages, and with our stylesheet,
 * which must come last.
 */
export const boardPage = (html: string): string =>
  html
    .replace(/<link[^>]+https?:\/\/[^>]+>/g, '')
    .replace('</head>', '<link href="static/own.css" rel="stylesheet"></head>')
    .replace('<div id="root">', `${wayBack}<div id="root">`)

const links = staffPages.map(({ text, url }) => `<a href="${url}">${text}</a>`).join('')
const wayBack = `<nav id="staff-pages" aria-label="Staff pages">${links}</nav>`

/** Texts of Bull Board that would be wrong here. Its page fills in `{{count}}`. */
export const ownWords = {
  JOB: { ACTIONS: { CONFIRM: { RETRY: 'Re-queue this delivery now?' } } },
  QUEUE: {
    ACTIONS: {
      CONFIRM: { RETRY_ALL: 'Re-queue every dead delivery of this queue now?' },
      TOAST: {
        RETRY_PENDING: 'Re-queueing every dead delivery…',
        RETRY_DONE: 'The dead deliveries are re-queued',
        RETRY_SKIPPED:
          '{{count}} were skipped: delivered or re-queued in the meantime, or their endpoint is gone.',
      },
    },
  },
}

interface Words {
  [key: string]: string | Words
}

/** A language file with our words in the place of its own. */
export function withOwnWords(given: Words, own: Words): Words {
  const merged = { ...given }
  for (const [key, words] of Object.entries(own)) {
    const before = merged[key]
    merged[key] =
      typeof words === 'string' ? words : withOwnWords(typeof before === 'object' ? before : {}, words)
  }
  return merged
}
