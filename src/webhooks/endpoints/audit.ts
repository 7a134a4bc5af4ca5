import { isDeepStrictEqual } from 'node:util'
import type { AuditEvent } from '../../audit/audit-event.ts'
import type { Deps } from '../../deps.ts'
import type { Endpoint } from './endpoint.ts'
import { shownUrl } from './shown-url.ts'

type AuditedFields = Pick<Endpoint, 'url' | 'events' | 'active'>

/** Returns the fields of an endpoint that the audit trail shows. Secrets are never shown. */
export const auditedFields = (
  deps: Pick<Deps, 'secrets'>,
  { url, events, active }: AuditedFields,
): Record<string, unknown> => ({
  url: shownUrl(deps, url),
  events,
  active,
})

/** Returns the fields that a request changes, with their old and new values. Returns null if it changes nothing. */
export function auditedChanges(
  deps: Pick<Deps, 'secrets'>,
  standing: AuditedFields,
  after: AuditedFields,
): Pick<AuditEvent, 'before' | 'after'> | null {
  const names = (['url', 'events', 'active'] as const).filter((name) => !isDeepStrictEqual(after[name], standing[name]))
  if (names.length === 0) return null
  const only = (fields: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return { before: only(auditedFields(deps, standing)), after: only(auditedFields(deps, after)) }
}
