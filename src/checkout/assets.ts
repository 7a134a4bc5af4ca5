import { hash } from 'node:crypto'
import { type Response, Router } from 'express'
import { script } from './script.ts'
import { style } from './style.ts'

/** Contains a hash of the asset, so browsers can cache it indefinitely. */
const pathOf = (text: string, ending: string): string => `/pay/${hash('sha256', text, 'hex').slice(0, 10)}.${ending}`

export const stylePath = pathOf(style, 'css')
export const scriptPath = pathOf(script, 'js')

export function assets(): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const send = (type: string, text: string) => (_req: unknown, res: Response) => {
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.type(type).send(text)
  }
  router.get(stylePath, send('css', style))
  router.get(scriptPath, send('js', script))
  return router
}
