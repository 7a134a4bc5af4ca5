import { html } from 'ghtml'
import type { SignedIn } from '../../staff/find-session.ts'
import type { ListedSession } from '../../staff/sessions-of.ts'
import { csrfField, time } from './layout.ts'

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
  const row = ({ id, createdAt, lastSeenAt, from, client }: ListedSession) => html`<tr>
    <td data-label="Signed in">!${time(createdAt)}</td>
    <td data-label="Last seen">!${time(lastSeenAt)}</td>
    <td data-label="From"><span class="id">${from}</span></td>
    <td data-label="Program"><bdi>${clientInWords(client)}</bdi></td>
    !${endPath === null ? '' : html`<td>!${id === staff.sessionId ? 'This session' : endForm(staff, endPath(id), `Session from ${from}`)}</td>`}
  </tr>`
  return html`<div class="scroll">
    <table class="cards">
      <caption>
        “Last seen” can be up to 15 minutes old.
      </caption>
      <thead>
        <tr>
          <th scope="col">Signed in</th>
          <th scope="col">Last seen</th>
          <th scope="col">From</th>
          <th scope="col">Program</th>
          !${endPath === null ? '' : html`<th scope="col">End</th>`}
        </tr>
      </thead>
      <tbody>!${sessions.map(row)}</tbody>
    </table>
  </div>`
}

const endForm = (staff: SignedIn, path: string, which: string): string =>
  html`<form method="post" action="${path}">
    !${csrfField(staff)}<button>End<span class="unseen"> ${which}</span></button>
  </form>`

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
