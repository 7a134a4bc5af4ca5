import { html } from 'ghtml'
import type { AccountSession } from '../accounts/account.ts'
import type { SignedIn } from '../accounts/sessions.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { isolateText } from '../http/pages/text.ts'
import { buttonForm } from './forms.ts'
import type { AccountTexts } from './words/en.ts'

/** If `endPath` is null, the table has no buttons. */
export function renderSessions(
  words: AccountTexts,
  time: (at: Date) => string,
  own: SignedIn,
  sessions: readonly AccountSession[],
  endPath: ((sessionId: string) => string) | null,
): string {
  if (sessions.length === 0) return html`<p>${words.noSessions}</p>`
  const [signedIn, lastSeen, from, program, end] = words.columns
  const columns: TableColumn<AccountSession>[] = [
    [signedIn, ({ createdAt }) => time(createdAt)],
    [lastSeen, ({ lastSeenAt }) => time(lastSeenAt)],
    [from, ({ from: ip }) => html`<span class="id">${ip}</span>`],
    [program, ({ client }) => isolateText(clientInWords(words, client))],
  ]
  const endButton = ({ sessionId, from: ip }: AccountSession) =>
    sessionId === own.sessionId
      ? html`${words.thisSession}`
      : buttonForm(
          own,
          endPath?.(sessionId) ?? '',
          html`${words.end}<span class="unseen"> ${words.endFrom(ip)}</span>`,
        )
  if (endPath !== null) columns.push([end, endButton, 'action'])
  return renderTable(columns, sessions, { caption: words.seenNote })
}

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

/** If the browser is unknown, returns the start of the `User-Agent`. */
function clientInWords(words: AccountTexts, userAgent: string) {
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  if (browser !== undefined) return system === undefined ? browser : words.programOn(browser, system)
  return userAgent === '' ? words.unknownProgram : userAgent.slice(0, 40)
}
