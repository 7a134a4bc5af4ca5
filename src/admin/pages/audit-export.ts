import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type RequestHandler, Router } from 'express'
import { html } from 'ghtml'
import { type ExportFormat, exportAudit, exportFormats, parseAuditFilter, recordExport } from '../../audit/list.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { readForm } from '../../http/body/read-form.ts'
import { mayStaff } from '../../staff/permissions.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import { byStaff, checkCsrf, requirePermission } from './guards.ts'
import { csrfField } from './layout.ts'
import { filledIn } from './query.ts'
import { staffOf } from './respond.ts'

const exportPath = '/admin/audit/export'
const contentTypes = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const

/**
 * Handles the form that downloads the audit trail. A download has no deadline, because a long trail takes a long time.
 */
export const auditExport = (deps: Deps): Router =>
  Router().post('/', readForm, requirePermission('export-audit'), checkCsrf, download(deps))

const download =
  (deps: Deps): RequestHandler =>
  async (req, res) => {
    const { csrf: _csrf, format, ...fields } = req.body as Record<string, unknown>
    if (!isFormat(format)) throw refuse('VALIDATION_ERROR', { message: 'The format must be csv or jsonl.' })
    const filter = parseAuditFilter(deps, filledIn(fields))
    await recordExport(deps, filter, format, byStaff(req, res, null))
    const owner = `staff ${staffOf(res).name}`
    const pieces = exportAudit((query) => deps.lists.run(owner, query), filter, format)
    const day = deps.now().toISOString().slice(0, 10)
    res.setHeader('Content-Type', contentTypes[format])
    res.setHeader('Content-Disposition', `attachment; filename="audit-${day}.${format}"`)
    // After an error, the connection is destroyed, so that the browser does not keep an incomplete file.
    await pipeline(Readable.from(pieces), res).catch(() => res.destroy())
  }

const isFormat = (value: unknown): value is ExportFormat => exportFormats.some((each) => each === value)

/** Returns the form that downloads the lines of a filter, or an empty string for staff who may not export them. */
export const exportForm = (staff: SignedIn, filter: Record<string, string>): string =>
  mayStaff(staff, 'export-audit')
    ? html`<form class="act" method="post" action="${exportPath}">
        !${csrfField(staff)}
        !${Object.entries(filter).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <button name="format" value="csv">Download as CSV</button>
        <button name="format" value="jsonl">Download as JSON lines</button>
      </form>`
    : ''
