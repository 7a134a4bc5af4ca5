import { html } from 'ghtml'
import { type IntentStatus, tillDayQuery } from '../../schemas/intents.ts'
import type { SchemaValue } from '../../schemas/requests.ts'
import { readFor } from '../http/operations/run-for.ts'
import type { PageRead } from '../http/operations/run-route.ts'
import { inputField } from '../http/pages/forms.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import * as text from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { presentIntent } from '../intents/present.ts'
import { listTillDay, type TillSum } from '../intents/till-day.ts'
import { parseStatementDay } from '../ledger/statement.ts'
import { type Page, parsePageRequest, presentPage } from '../lists/pagination.ts'
import { readPersonNames } from '../people/list-people.ts'
import { personPaging } from '../people-pages/frame.ts'
import type { VisitResult } from '../people-pages/serve.ts'
import { hasRight, type Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { toUtcDay } from '../platform/time.ts'
import { localeOf, type TillLocale } from './locale.ts'
import { maySeeDay, refuseRole } from './payment.ts'

/** For `readFor`. The API has no such operation, because it has no people. */
const dayRead = (hasSums: boolean): PageRead => ({
  scope: 'payments.intents:read',
  query: tillDayQuery,
  isPage: true,
  shows: 'intent',
  async run(deps, caller, { query }) {
    const { day, of = 'paid', ...page } = query as SchemaValue<typeof tillDayQuery>
    const now = deps.now()
    const wanted = parseStatementDay(deps, day ?? toUtcDay(now))
    const { sums, ...found } = await listTillDay(deps, caller, {
      day: wanted,
      of,
      hasSums,
      ...parsePageRequest(page),
    })
    const shown = presentPage(found, (intent) => ({
      ...presentIntent(deps.config, intent, now),
      personId: intent.till?.personId,
    }))
    return { ...shown, day: wanted, sums }
  },
})

export const tillDayRead = dayRead(true)
const latestRead = dayRead(false)

type TillPayment = Shown<'listIntents'>['items'][number] & { personId: string }
type DayPage = Page<TillPayment> & { sums: TillSum[] }
type Names = Map<string, string>

const readDay = async ({ deps, res, caller }: Visit, query: Record<string, string>, read = tillDayRead) =>
  (await readFor<DayPage>(deps, res, caller, read, { query })).data

const latest = 5

/** Open ones come first, so a payment whose page never arrived is found at once. */
async function readLatest(visit: Visit): Promise<TillPayment[]> {
  const unpaid = await readDay(visit, { of: 'unpaid' }, latestRead)
  const paid = await readDay(visit, { of: 'paid', limit: String(latest) }, latestRead)
  const open = unpaid.items.filter(({ status }) => status === 'PENDING')
  return [...open.slice(0, latest), ...paid.items]
}

export async function renderLatest(visit: Visit): Promise<string> {
  const { words } = localeOf(visit.res)
  const listed = await readLatest(visit).catch((error: unknown) => {
    // While other lists are running, the form must still be usable.
    if (error instanceof Refusal) return null
    throw error
  })
  const empty = html`<p>${listed === null ? words.notListed : words.noneToday}</p>`
  return html`<h2>${words.latest}</h2>!${listed?.length ? renderPayments(visit, listed, null) : empty}
<p class="way"><a href="${visit.base}/day">${words.wholeDay}</a></p>`
}

export async function showDay(visit: Visit): Promise<VisitResult> {
  const { req, res, deps, base } = visit
  const { day = toUtcDay(deps.now()), of = 'paid', page = '1' } = req.query as Record<string, string>
  if (!maySeeDay(visit, day)) return refuseRole(visit)
  const locale = localeOf(res)
  const { day: words } = locale.words
  const found = await readDay(visit, { day, of, page })
  const { sums, items } = found
  const names = await readPersonNames(
    deps,
    [...sums, ...items].map(({ personId }) => personId),
  )
  const path = (query: Record<string, string>) =>
    `${base}/day?${new URLSearchParams({ day, ...query }).toString()}`
  const kinds = (['paid', 'unpaid'] as const).map(
    (kind) =>
      html`<li><a href="${path({ of: kind })}" !${kind === of ? 'aria-current="page"' : ''}>${words[kind]}</a></li>`,
  )
  const pathAfter = (after: string) => path({ of, page: after || '1' })
  const next = found.hasMore ? String(found.page + 1) : null
  const title = words.title(locale.date(new Date(day)))
  const body = html`<h1>${title}</h1>
!${hasRight(visit, 'read-payments') ? chooseDay(visit, day) : ''}
<h2>${words.sums}</h2>
!${sums.length === 0 ? html`<p>${words.nothing}</p>` : renderSums(locale, sums, names)}
<p class="faint">${words.differs}</p>
<h2>${words.payments}</h2>
<ul class="links">!${kinds}</ul>
!${items.length === 0 ? html`<p>${words.none}</p>` : renderPayments(visit, items, names)}
!${personPaging(res, pathAfter, found.page === 1, next)}`
  return { title, body, current: `${base}/day` }
}

function chooseDay({ base, deps, res }: Visit, value: string) {
  const { day: words } = localeOf(res).words
  const attributes = html`type="date" required min="2000-01-01" max="${toUtcDay(deps.now())}"`
  return html`<form action="${base}/day" class="filter">
!${inputField('day', { label: words.choose, value, attributes })}
<button>${words.open}</button></form>`
}

function renderSums(locale: TillLocale, sums: readonly TillSum[], names: Names) {
  const { day: words, facts } = locale.words
  const sum = (of: 'payments' | 'paid' | 'refunded') => sums.reduce((all, each) => all + each[of], 0)
  const total = { payments: sum('payments'), paid: sum('paid'), refunded: sum('refunded') }
  const rows = [
    ...sums.map((each) => ({ ...each, name: text.isolateText(names.get(each.personId) ?? '') })),
    { ...total, name: html`<strong>${words.total}</strong>` },
  ]
  type Row = (typeof rows)[number]
  const columns: TableColumn<Row>[] = [
    [facts.cashier, ({ name }) => name],
    [words.payments, ({ payments }) => String(payments), 'number'],
    [words.paid, ({ paid }) => text.renderMoney(locale, paid), 'number'],
    [facts.refunded, ({ refunded }) => text.renderMoney(locale, refunded), 'number'],
    [words.taken, ({ paid, refunded }) => text.renderMoney(locale, paid - refunded), 'number'],
  ]
  return renderTable(columns, rows, { label: words.sums, isTight: true })
}

function renderPayments({ base, res }: Visit, items: readonly TillPayment[], names: Names | null) {
  const locale = localeOf(res)
  const { facts, states, day } = locale.words
  const time = ({ payment, createdAt }: TillPayment) => {
    const at = payment?.paidAt ?? createdAt
    return html`<time datetime="${at}">${locale.clock(new Date(at))}</time>`
  }
  const amount = ({ referenceNumber, amount: centimes }: TillPayment) =>
    html`<a href="${base}/payments/${referenceNumber}">!${text.renderMoney(locale, centimes ?? 0)}</a>`
  const columns: TableColumn<TillPayment>[] = [
    [facts.time, time],
    [facts.amount, amount, 'number'],
    [facts.for, ({ label }) => text.isolateTextOrNull(label) ?? ''],
    [facts.status, (each) => states[stateOf(each)]],
  ]
  if (names !== null)
    columns.push([facts.cashier, ({ personId }) => text.isolateText(names.get(personId) ?? '')])
  return renderTable(columns, items, { label: day.payments, isTight: names === null })
}

function stateOf({ status, cancellationReason, payment, totalAmountRefunded }: TillPayment) {
  if (status === 'REFUNDED' && totalAmountRefunded < (payment?.amountPaid ?? 0)) return 'refundedInPart'
  return cancellationReason === 'expired' ? 'expired' : (status.toLowerCase() as Lowercase<IntentStatus>)
}
