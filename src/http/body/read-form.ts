import { type NextFunction, type Request, type Response, urlencoded } from 'express'
import { hasBody, refuseTruncated } from './read-body.ts'

const readFields = urlencoded({ extended: false, limit: '8kb', parameterLimit: 10_000, inflate: false })

/** Without this, a body that the parser skips would look like an empty form. */
const refuseSkipped = (req: Request, _res: Response, next: NextFunction): void =>
  next(hasBody(req) && req.body === undefined && req.socket.destroyed ? refuseTruncated() : undefined)

export const formHandlers = [readFields, refuseSkipped]

/** A missing or repeated field becomes an empty string. */
export function readFormFields<Name extends string>(req: Request, ...names: Name[]): Record<Name, string> {
  const body = (req.body ?? {}) as Record<string, unknown>
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '')
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>
}
