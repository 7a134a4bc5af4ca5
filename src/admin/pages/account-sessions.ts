import { html } from 'ghtml'
import type { ListedSession, SignedIn } from '../../staff/staff-sessions.ts'
import { buttonForm, time } from './layout.ts'
import { type Column, table } from './table.ts'
import { userText } from './words.ts'

/**
 * Returns a table of an account's sessions, each with a button that ends it. The viewer's own session has no button.
 * `endPath` returns the path of the form that ends a session. If it is null, there are no buttons.
 */
export function sessionsTable(
  staff: SignedIn,
  sessions: readonly ListedSession[],
  endPath: ((sessionId: string) => string) | null,
): string {
  if (sessions.length === 0) return html`<p>There are no sessions.</p>`
  const look = { caption: '“Last seen” can be up to 15 minutes old.' }
  if (endPath === null) return table(columns, sessions, look)
  const end = ({ id, from }: ListedSession): string => {
    if (id === staff.sessionId) return 'This session'
    return buttonForm(staff, endPath(id), html`End<span class="unseen"> Session from ${from}</span>`)
  }
  return table([...columns, { title: 'End', isAction: true, html: end }], sessions, look)
}

const columns: Column<ListedSession>[] = [
  { title: 'Signed in', html: ({ createdAt }) => time(createdAt) },
  { title: 'Last seen', html: ({ lastSeenAt }) => time(lastSeenAt) },
  { title: 'From', html: ({ from }) => html`<span class="id">${from}</span>` },
  { title: 'Program', html: ({ client }) => userText(clientInWords(client)) },
]

const browsers: readonly [pattern: RegExp, name: string][] = [
  [/Edg(A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: readonly [pattern: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

/** Returns a browser and its operating system in words, or the start of a `User-Agent` header that it does not know. */
function clientInWords(userAgent: string): string {
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  return userAgent === '' ? 'unknown' : userAgent.slice(0, 40)
}
