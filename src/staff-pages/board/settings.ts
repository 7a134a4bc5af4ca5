import type { UIConfig } from '@bull-board/api/typings/app'
import { filterNavigation } from '../layout.ts'

const time = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const
const day = { day: 'numeric', month: 'short', ...time } as const

/** Bull Board's default fonts would be loaded from another host. */
const fonts = { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' }

export const boardUiConfig: UIConfig = {
  boardTitle: 'Payment intents',
  miscLinks: filterNavigation({ role: 'viewer' }),
  hideDocsLink: true,
  hideRedisDetails: true,
  // Redis would have to run CLIENT LIST for every queue at each refresh.
  showWorkers: false,
  showMetrics: false,
  pollingInterval: { showSetting: false, forceInterval: 5 },
  locale: { lng: 'en-US' },
  dateFormats: { short: time, common: day, full: { year: 'numeric', ...day } },
  theme: { light: fonts, dark: fonts },
}

/** React sets style attributes, so inline styles are allowed. */
export const boardContentPolicy = [
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
