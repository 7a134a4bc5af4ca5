import { type RequestHandler, Router } from 'express'
import { html } from 'ghtml'
import { type ExportFormat, exportFormats } from '../../schemas/ledger.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import { exportAuditTrail, listAuditLines, parseAuditFilter, recordAuditExport } from '../audit/list.ts'
import { formHandlers } from '../http/body/read-form.ts'
import { inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import { pagingLinks } from '../http/pages/table.ts'
import { isolateText } from '../http/pages/text.ts'
import { exportTypes, sendDownload, startDownload } from '../http/responses/download.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { hourMs, toUtcDay } from '../platform/time.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission } from '../staff/permissions.ts'
import { describeScopes, type PageField } from '../staff-acts/shown.ts'
import { findLatestCheck } from '../verification/nightly-check.ts'
import type { AuditCheck } from '../verification/seal.ts'
import { formatUtc, groupDigits, renderTime } from './format.ts'
import { checkStaffCsrf, type PageVisit, requirePermission, type StaffPage, staffAsActor } from './guards.ts'
import { csrfField, currentStaff } from './layout.ts'
import * as paths from './paths.ts'
import { renderTable } from './table.ts'

type AuditDeps = Pick<Deps, 'AuditEvent' | 'lists' | 'now' | 'validate'>

export const auditPage: StaffPage<'AuditCheck' | 'AuditEvent' | 'now' | 'validate'> = async (
  deps,
  { query, staff },
) => {
  const { lines, next } = await listAuditLines(deps, parseAuditFilter(deps, paths.omitEmptyFields(query)))
  const filter = filterOf(query)
  const body = html`<h1>Audit trail</h1>
    !${checked(await findLatestCheck(deps), deps.now())}
    !${filterForm(filter)}
    !${lines.length === 0 ? html`<p>There are no entries.</p>` : renderTable(columns, lines, { label: 'Audit trail' })}
    !${hasPermission(staff, 'export-audit') ? exportForm(staff, { ...filter, before: '' }) : ''}
    !${pagingLinks((before) => paths.auditPath({ ...filter, before }), filter.before === '', next, ['Newest', 'Older'])}`
  return { title: 'Audit trail', current: '/admin/audit', body }
}

function checked(check: AuditCheck | null, now: Date) {
  if (check === null)
    return html`<p class="faint">The trail has not been verified yet. This happens every night.</p>`
  const { at, lines, seals, faultCount, faults } = check
  const hours = Math.floor((now.getTime() - at.getTime()) / hourMs)
  if (faultCount === 0 && (hours < -1 || hours >= 36))
    return html`<p class="notice bad" role="alert">The trail was last verified !${renderTime(at)}, although this should happen every night. Call an operator.</p>`
  if (faultCount === 0)
    return html`<p class="faint">Verified ${Math.max(0, hours)} h ago, !${renderTime(at)}: ${groupDigits(lines)} lines in ${groupDigits(seals)} seals are unchanged.</p>`
  return html`<div class="notice bad" role="alert">
    <p><b>The trail was changed.</b> The check on !${renderTime(at)} found ${groupDigits(faultCount)} ${faultCount === 1 ? 'fault' : 'faults'}. Call an operator.</p>
    <ul>!${faults.map((fault) => html`<li>!${isolateText(fault)}</li>`)}</ul>
  </div>`
}

const filters = {
  who: { label: 'Actor', hint: 'name or key id' },
  act: { label: 'Action', hint: 'staff.created' },
  subject: { label: 'Subject', hint: 'id or name' },
  business: { label: 'Business', hint: 'id' },
  from: { label: 'From (UTC)', hint: '2026-01-31' },
  to: { label: 'To (UTC)', hint: '2026-01-31' },
} as const

type Filter = Record<keyof typeof filters | 'before', string>

/** `parseAuditFilter` must have validated the query. */
const filterOf = (query: PageVisit['query']): Filter =>
  Object.fromEntries(
    [...Object.keys(filters), 'before'].map((name) => [name, paths.readQueryText(query, name)]),
  ) as Filter

const filterForm = (filter: Filter) =>
  html`<form class="card filter" method="get" action="/admin/audit">
    !${Object.entries(filters).map(([name, { label, hint }]) =>
      inputField(name, {
        label,
        value: filter[name as keyof Filter],
        attributes: html`placeholder="${hint}" maxlength="200"`,
      }),
    )}
    <div class="act"><button>Filter</button> <a class="button" href="/admin/audit">Clear</a></div>
  </form>`

const columns: PageField<AuditEvent>[] = [
  { label: 'Time', unit: 'time', value: ({ at }) => at },
  {
    label: 'Actor',
    unit: 'user',
    html: ({ actor }) => html`!${actorLink(actor)} <div class="faint">${actor.kind} !${from(actor)}</div>`,
  },
  { label: 'Action', html: ({ act }) => html`${act}`.replace('.', '.<wbr />') },
  { label: 'Subject', html: subjectLink },
  { label: 'Change', unit: 'user', html: changes },
  { label: 'Reason', unit: 'user', value: ({ reason }) => reason ?? undefined },
]

const actorLink = ({ kind, name }: AuditEvent['actor']) =>
  kind === 'merchant' ? paths.idLink(paths.keyPath(name), name) : isolateText(name)

const from = ({ kind, from: source }: AuditEvent['actor']) => {
  if (source === null) return ''
  return kind === 'operator' ? html`on ${source}` : html`from ${source}`
}

function subjectLink(line: AuditEvent) {
  const { subject, businessId } = line
  const path = pathOf(line)
  const named = path === null ? html`<bdi class="id">${subject}</bdi>` : paths.idLink(path, subject)
  if (businessId === null || businessId === subject) return named
  return html`!${named} <span class="faint">of !${paths.idLink(paths.businessPath(businessId), businessId)}</span>`
}

function pathOf({ act, subject, businessId }: AuditEvent) {
  if (subject === businessId) return paths.businessPath(subject)
  if (act.startsWith('delivery.')) return paths.deliveryPath(subject)
  if (act.startsWith('key.')) return paths.keyPath(subject)
  if (act === 'reconciliation.run') return paths.reconciliationPath(subject)
  return act.startsWith('endpoint.') ? paths.endpointPath(subject) : null
}

function changes({ before, after }: AuditEvent) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map(
      (name) =>
        html`<div>${name}: !${before === null ? '' : html`${shown(name, before[name])} → `}${shown(name, after?.[name])}</div>`,
    )
    .join('')
}

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return name.startsWith('limits.') ? 'default' : 'none'
  if (value instanceof Date) return formatUtc(value)
  if (name === 'scopes' && Array.isArray(value)) return describeScopes(value)
  if (Array.isArray(value)) return value.map((each) => shown(name, each)).join(', ') || 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const exportPath = '/admin/audit/export'

/** Only the start has a deadline, because a long export takes a while. */
export const createAuditExport = (deps: AuditDeps): Router =>
  Router().post('/', formHandlers, requirePermission('export-audit'), checkStaffCsrf, download(deps))

const download =
  (deps: AuditDeps): RequestHandler =>
  async (req, res) => {
    const { csrf: _csrf, format, ...fields } = req.body as Record<string, unknown>
    if (!isFormat(format)) throw refuse('VALIDATION_ERROR', { message: 'The format must be csv or jsonl.' })
    const filter = parseAuditFilter(deps, paths.omitEmptyFields(fields))
    await recordAuditExport(deps, filter, format, staffAsActor(req, res, null))
    const owner = `staff ${currentStaff(res).name}`
    const file = {
      contentType: exportTypes[format],
      fileName: `audit-${toUtcDay(deps.now())}.${format}`,
      pieces: exportAuditTrail((query) => deps.lists.run(owner, query), filter, format),
    }
    await sendDownload(req, res, await startDownload(file, pageDeadline(res)))
  }

const isFormat = (value: unknown): value is ExportFormat => exportFormats.some((each) => each === value)

const exportForm = (staff: SignedInStaff, filter: Filter) =>
  html`<form class="act" method="post" action="${exportPath}">
    !${csrfField(staff)}
    !${Object.entries(filter).map(([name, value]) => renderHiddenInput(name, value))}
    <button name="format" value="csv">Download as CSV</button>
    <button name="format" value="jsonl">Download as JSON lines</button>
  </form>`
