import type { Router } from 'express'
import { html } from 'ghtml'
import type { OwnerAct } from '../audit/acts.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import { listAuditLines, parseAuditFilter } from '../audit/list.ts'
import { apiKeyPrefix } from '../businesses/api-key.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { isolateText, renderLtr, renderTime } from '../http/pages/text.ts'
import { type PersonPage, personPaging } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import type { Visit } from '../people-pages/visit.ts'
import type { Deps } from '../platform/deps.ts'
import { readQueryText } from './money-filter.ts'
import { readOwn, settingsLocaleOf } from './settings.ts'
import { englishSettingsTexts } from './words/settings/en.ts'

const list = '/activity'
const pageSize = 30
const shownActs = Object.keys(englishSettingsTexts.activity.acts) as OwnerAct[]

export function addActivityPage(router: Router): void {
  router.get(list, serveVisit('read-acts', activityPage))
}

/** Both environments, because people and keys belong to one business. */
async function activityPage(visit: Visit): Promise<PersonPage> {
  const { deps, res, caller, base } = visit
  const { words } = settingsLocaleOf(res)
  const { activity, sections } = words
  const { businessId } = caller
  const before = readQueryText(visit, 'before')
  const filter = { ...parseAuditFilter(deps, before === '' ? {} : { before }), businessId, acts: shownActs }
  const { lines, next, names } = await readOwn(visit, async (reading) => {
    const page = await listAuditLines(reading, filter, pageSize)
    return { ...page, names: await namesIn(reading, businessId, page.lines) }
  })
  const table = renderTable(columns(visit, names), lines, { label: sections.activity, isTight: true })
  const pathOf = (id: string) => `${base}${list}${id && `?before=${encodeURIComponent(id)}`}`
  const body = html`<h1>${sections.activity}</h1>
!${lines.length === 0 ? html`<p class="notice">${activity.none}</p>` : table}
!${personPaging(res, pathOf, before === '', next)}`
  return { title: sections.activity, body, current: base + list }
}

interface Names {
  people: ReadonlyMap<string, string>
  keys: ReadonlyMap<string, string>
}

async function namesIn(
  deps: Pick<Deps, 'Person' | 'ApiKey'>,
  businessId: string,
  lines: readonly AuditEvent[],
): Promise<Names> {
  const ids = [...new Set(lines.flatMap(({ actor, subject }) => [actor.name, subject]))]
  const people = await deps.Person.find({ _id: { $in: ids } }, { name: 1 }).lean()
  const keys = await deps.ApiKey.find({ _id: { $in: ids }, businessId }).lean()
  return {
    people: new Map(people.map(({ _id, name }) => [_id, name])),
    keys: new Map(keys.map(({ _id, kind, mode, last4 }) => [_id, `${apiKeyPrefix(kind, mode)}…${last4}`])),
  }
}

function columns({ res }: Visit, { people, keys }: Names): TableColumn<AuditEvent>[] {
  const locale = settingsLocaleOf(res)
  const { activity, operator, roles } = locale.words
  /** Nothing about staff: neither who it was, nor from where, nor why. */
  const who = ({ actor: { kind, name } }: AuditEvent) => {
    if (kind === 'person') return isolateText(people.get(name) ?? name)
    if (kind === 'merchant') return html`${activity.apiKey(keys.get(name) ?? name)}`
    return html`${operator}`
  }
  const about = ({ subject, businessId, after }: AuditEvent) => {
    const name = people.get(subject) ?? after?.name
    const role = roles[after?.role as keyof typeof roles] ?? ''
    if (typeof name === 'string') return html`!${isolateText(name)}!${role && html` · ${role}`}`
    return subject === businessId ? '' : html`<code>!${renderLtr(keys.get(subject) ?? subject)}</code>`
  }
  const sandbox = ({ sandbox: isSandbox, act }: AuditEvent) =>
    isSandbox && !/^(?:person|business)\./.test(act)
      ? html` <span class="badge">${activity.sandbox}</span>`
      : ''
  return [
    [activity.when, ({ at }) => renderTime(locale, at)],
    [activity.who, who],
    [activity.what, (line) => html`${activity.acts[line.act as OwnerAct]}!${sandbox(line)}`],
    [activity.about, about],
  ]
}
