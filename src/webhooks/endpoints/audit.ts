import { isDeepStrictEqual } from 'node:util'
import type { Act } from '../../audit/acts.ts'
import { type AuditEvent, auditLine } from '../../audit/audit-event.ts'
import { byCaller, type Caller } from '../../businesses/caller.ts'
import type { Endpoint } from './endpoint.ts'

/** The maximum length of a URL in the audit trail, in characters. */
const maxUrlLength = 300

/**
 * Returns the URL as the audit trail shows it. The query is left out, because it often contains credentials, and the
 * lines of the audit trail are never deleted. `?…` stands for a query, and `…` for the rest of a long URL.
 */
function auditedUrl(url: string): string {
  const [address = '', query] = url.split('?', 2)
  if (address.length > maxUrlLength) return `${address.slice(0, maxUrlLength)}…`
  return query === undefined ? address : `${address}?…`
}

type AuditedFields = Pick<Endpoint, 'url' | 'events' | 'active'>

/** Returns the fields of an endpoint that the audit trail shows. Secrets are never shown. */
export const auditedFields = ({ url, events, active }: AuditedFields): Record<string, unknown> => ({
  url: auditedUrl(url),
  events,
  active,
})

/**
 * Returns the fields that a request changes, with their old and new values. Returns null if the request changes
 * nothing.
 */
export function auditedChanges(
  standing: AuditedFields,
  change: Partial<AuditedFields>,
): Pick<AuditEvent, 'before' | 'after'> | null {
  const after = { ...standing, ...change }
  const names = (['url', 'events', 'active'] as const).filter((name) => !isDeepStrictEqual(after[name], standing[name]))
  if (names.length === 0) return null
  const only = (fields: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return { before: only(auditedFields(standing)), after: only(auditedFields(after)) }
}

/** Returns the audit line for a change that a merchant makes to an endpoint. */
export const endpointLine = (
  caller: Caller,
  about: Pick<AuditEvent, 'at' | 'before' | 'after'> & { act: Act; subject: string },
): AuditEvent => auditLine({ ...about, ...byCaller(caller), businessId: caller.businessId })
