import type { Router } from 'express'
import { html } from 'ghtml'
import { ratesAt } from '../businesses/business.ts'
import { maxOwnKeys } from '../businesses/change-key.ts'
import { type QuotaName, quotaLimit } from '../businesses/quotas.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderFactList, renderLtr } from '../http/pages/text.ts'
import { countCodesInUse, liveCodeLimitOf } from '../intents/live-codes.ts'
import { readUsedToday } from '../limits/counter.ts'
import { maxPeople } from '../people/invite.ts'
import { listInvitations } from '../people/list-people.ts'
import type { PersonPage } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import type { Visit } from '../people-pages/visit.ts'
import type { Deps } from '../platform/deps.ts'
import { modeOf } from '../platform/mode.ts'
import { utcDayNumber } from '../platform/time.ts'
import { maxReplaysPerDay } from '../replays/start.ts'
import { endpointSlots, undeletedFilter } from '../webhooks/endpoints/endpoint.ts'
import { readOwn, settingsLocaleOf } from './settings.ts'

export function addLimitsPage(router: Router): void {
  router.get('/limits', serveVisit('read-limits', limitsPage))
}

type RowName = keyof ReturnType<typeof settingsLocaleOf>['words']['limits']['rows']

/** `used` is null if counting takes too long, and `limit` if there is none. */
type Usage = readonly [name: RowName, used: number | null, limit: number | null]

const dailyQuotas = {
  test: ['sandboxCreates', 'sandboxBytes', 'sandboxAuditLines'],
  live: ['liveDocuments', 'liveBytes', 'liveAuditLines'],
} as const satisfies Record<string, QuotaName[]>

async function readUsages(deps: Deps, { member, caller }: Visit): Promise<Usage[]> {
  const { businessId, sandbox } = caller
  const mode = modeOf(caller)
  const quotas = dailyQuotas[mode]
  const today = await readUsedToday(
    deps,
    quotas.map((name) => ({ name, owner: businessId })),
  )
  const limitOf = (name: QuotaName) => quotaLimit(deps, name, member.business.limits)
  const day = utcDayNumber(deps.now())
  const keys = { businessId, mode, status: { $ne: 'revoked' as const } }
  const invited = await listInvitations(deps, businessId)
  const people = await deps.Person.countDocuments({ 'roles.businessId': businessId })
  const replays = await deps.Replay.countDocuments({ businessId, sandbox, day })
  const endpoints = await deps.Endpoint.countDocuments({ businessId, ...undeletedFilter })
  return [
    ...(sandbox
      ? []
      : [['liveCodes', await countCodesInUse(deps, businessId), liveCodeLimitOf(deps, caller)] as const]),
    ...quotas.map((name, index) => [name, today[index] ?? 0, limitOf(name)] as const),
    ['replays', replays, maxReplaysPerDay],
    ['endpoints', endpoints, endpointSlots.length],
    ['keys', await deps.ApiKey.countDocuments(keys), maxOwnKeys],
    ['people', people + invited.length, maxPeople],
  ]
}

const warnedPart = 0.8

async function limitsPage(visit: Visit): Promise<PersonPage> {
  const { res, base } = visit
  const { words } = settingsLocaleOf(res)
  const { limits, sections } = words
  const usages = await readOwn(visit, (deps) => readUsages(deps, visit))
  const body = html`<h1>${sections.limits}</h1><p>${limits.intro}</p>
!${renderTable(columns(visit), usages, { label: sections.limits, isTight: true })}
<p class="faint">${limits.day}</p>
<h2>${limits.terms}</h2><div class="card">!${renderFactList(terms(visit))}</div>`
  return { title: sections.limits, body, current: `${base}/limits` }
}

function columns({ res }: Visit): TableColumn<Usage>[] {
  const { words, number } = settingsLocaleOf(res)
  const { limits } = words
  const amount = (name: RowName, value: number) =>
    name.endsWith('Bytes') ? limits.megabytes(number(value / 1e6)) : number(value)
  const used = ([name, count, limit]: Usage) => {
    if (limit === null) return html`${limits.unlimited}`
    if (count === null) return html`${limits.unknown}`
    return html`${limits.ofLimit(amount(name, count), amount(name, limit))}
<meter class="meter" aria-label="${limits.rows[name]}" min="0" max="${limit}" high="${limit * warnedPart}" optimum="0" value="${Math.min(count, limit)}"></meter>`
  }
  const left = ([name, count, limit]: Usage) => {
    if (limit === null || count === null) return ''
    const rest = Math.max(0, limit - count)
    const [look, warning] =
      rest === 0 ? ['bad', limits.usedUp] : ['wait', count >= limit * warnedPart && limits.nearly]
    return html`${amount(name, rest)}!${warning && html` <strong class="${look}">${warning}</strong>`}`
  }
  return [
    [limits.what, ([name]) => html`${limits.rows[name]}`],
    [limits.used, used],
    [limits.left, left],
  ]
}

function terms({ deps, res, member }: Visit): [string, string][] {
  const { config } = deps
  const { words, number } = settingsLocaleOf(res)
  const { limits } = words
  const { commission, limits: own } = member.business
  const rates = ratesAt(commission, config.commissionRates, deps.now())
  const perSecond = config.rateLimitPerSecond && (own.perSecond ?? config.rateLimitPerSecond)
  const percent = (basisPoints: number) => renderLtr(limits.percent(number(basisPoints / 100)))
  return [
    [limits.provider, percent(rates.provider)],
    [limits.payer, percent(rates.payer)],
    [limits.perSecond, html`${perSecond === null ? limits.unlimited : number(perSecond)}`],
  ]
}
