import { type NextFunction, type Request, type Response, urlencoded } from 'express'
import { isAnnounced, truncated } from './read-body.ts'

/**
 * Even the largest form has only a few short fields. Only `limit` matters in practice, because 8 KB cannot contain
 * `parameterLimit` fields.
 */
const readFields = urlencoded({ extended: false, limit: '8kb', parameterLimit: 10_000, inflate: false })

/**
 * Rejects a body that the parser skipped because the client disconnected (read-body.ts). The body would otherwise be
 * mistaken for an empty form.
 */
const refuseSkipped = (req: Request, _res: Response, next: NextFunction): void =>
  next(isAnnounced(req) && req.body === undefined && req.socket.destroyed ? truncated() : undefined)

export const readForm = [readFields, refuseSkipped]

/** Returns the named form fields as strings. If a field is missing or repeated, its value is an empty string. */
export function formFields<Name extends string>(req: Request, ...names: Name[]): Record<Name, string> {
  const body = (req.body ?? {}) as Record<string, unknown>
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '')
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>
}
