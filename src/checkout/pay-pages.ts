import { type Request, type RequestHandler, Router } from 'express'
import type { Deps } from '../deps.ts'
import { deadlineOf } from '../http/prepare-page.ts'
import { isId, isShortCode } from '../ids.ts'
import { findByShortCode } from '../intents/find-by-short-code.ts'
import { sendNotFound, sendTooMany } from './answer.ts'
import { confirm } from './confirm.ts'
import type { Guesses } from './guesses.ts'
import { type Act, offerOf } from './offer.ts'
import { show } from './show.ts'
import { isOpen } from './state.ts'

/** `/p/{shortCode}`: the page of a payment (SPEC 2.1, payUrl), the form that pays it, and how it stands, for the script. */
export function payPages(deps: Deps, guesses: Guesses): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const offered = createOffered(deps, guesses)
  router.get('/p/:shortCode', offered(show))
  router.post('/p/:shortCode', offered(confirm))
  router.get('/p/:shortCode/status', offered(tell))
  return router
}

/** Finds the payment of the address, within the limit on guessing. */
const createOffered =
  (deps: Deps, guesses: Guesses) =>
  (act: Act): RequestHandler<{ shortCode: string }> =>
  async (req, res) => {
    const shortCode = req.params.shortCode.toUpperCase()
    // No guess at all, whatever it is: nobody is shut out for it.
    if (!isShortCode(shortCode)) return sendNotFound(res)
    const guess = await deadlineOf(res).spend((until) =>
      guesses.link(req.ip ?? '', () => findByShortCode(deps, shortCode, until)),
    )
    if (guess.outcome === 'closed') return sendTooMany(req, res, guess.closedMs)
    if (guess.outcome === 'miss') return sendNotFound(res)
    const { sent } = req.query
    const own = typeof sent === 'string' && isId(sent) ? sent : null
    await act(deps, offerOf(deps, res, guess.found, own), req as Request, res)
  }

/** How a payment stands, in short, and what time is left for it, in words. */
const tell: Act = (_deps, { state, locale, leftMs }, _req, res) => {
  const left = isOpen(state) ? locale.left(leftMs) : ''
  res.json({ state, left })
}
