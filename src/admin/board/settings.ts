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

/** Only its own bundle may run. Inline styles are allowed, because React sets the style of elements. */
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
