import { type NextFunction, type Request, type Response, urlencoded } from 'express'
import { isAnnounced, truncated } from './read-body.ts'

/** Our largest form has only a few short fields. `limit` is what matters: 8 KB can't hold `parameterLimit` fields. */
const readFields = urlencoded({ extended: false, limit: '8kb', parameterLimit: 10_000, inflate: false })

/** The parser skips the body of a disconnected client (read-body.ts), which would pass for an empty form. */
const refuseSkipped = (req: Request, _res: Response, next: NextFunction): void =>
  next(isAnnounced(req) && req.body === undefined && req.socket.destroyed ? truncated() : undefined)

export const readForm = [readFields, refuseSkipped]

/** A missing or repeated field becomes an empty string. */
export function formFields<Name extends string>(req: Request, ...names: Name[]): Record<Name, string> {
  const body = (req.body ?? {}) as Record<string, unknown>
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '')
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>
}
