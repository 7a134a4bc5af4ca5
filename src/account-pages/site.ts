import { parseCookie, stringifySetCookie } from 'cookie'
import type { NextFunction, Request, Response } from 'express'
import type { Accounts } from '../accounts/account.ts'
import * as sessions from '../accounts/sessions.ts'
import type { SignInChecks } from '../accounts/sign-in-limit.ts'
import { isFromOwnSite, isSafeMethod } from '../http/pages/own-origin.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import type { AccountTexts } from './words/en.ts'

export type SignInPageDeps = Deps & Accounts & SignInChecks

/** Staff and merchants' people sign in on pages of their own. */
export interface AccountSite {
  deps: SignInPageDeps
  /** The first part of its paths, e.g. `/admin`. */
  path: string
  /** Because of `__Host-`, browsers send these cookies only to this host. */
  cookies: { session: `__Host-${string}`; pending: `__Host-${string}` }
  /** Paths of other pages that a sign-in may lead to. */
  nextPaths: readonly string[]
  nameAttributes: string
  findSession(token: string): Promise<sessions.SignedIn | null>
  words(res: Response): AccountTexts
  /** HTML. */
  time(res: Response, at: Date): string
  /** What the account page says about the account, as HTML. */
  facts(res: Response): string
  /** If true, only adding a second factor and signing out are possible. */
  mustAddFactor(res: Response): boolean
  send(res: Response, page: AccountPage): void
  refuseSignedOut(req: Request, res: Response): void
  refuse(res: Response, why: 'other-session' | 'other-site'): void
}

export interface AccountPage {
  title: string
  body: string
  status?: number
  /** For tables. */
  isWide?: boolean
  /** The header no longer asks for a second factor. */
  hasNewFactor?: boolean
}

type TokenKind = keyof AccountSite['cookies']
type Cookies = Pick<AccountSite, 'cookies'>

/** A pending sign-in still needs the second factor. */
export const readTokenCookie = ({ cookies }: Cookies, req: Request, kind: TokenKind): string | undefined =>
  parseCookie(req.headers.cookie ?? '')[cookies[kind]]

export function setTokenCookie(
  { cookies }: Cookies,
  res: Response,
  kind: TokenKind,
  value: string,
  maxAgeSeconds: number,
): void {
  const kept = { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge: maxAgeSeconds } as const
  const cookie = stringifySetCookie({ name: cookies[kind], value, ...kept })
  if (!res.headersSent) res.append('Set-Cookie', cookie)
}

export const loadSession =
  (site: AccountSite) =>
  async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const token = readTokenCookie(site, req, 'session')
    if (token !== undefined) {
      const found = await pageDeadline(res).run(() => site.findSession(token))
      if (found !== null) {
        res.locals.signedIn = found
        // For the log line: a name of staff, or the id of a person.
        res.locals[site.deps.accountKind.noun] = found.id
      }
    }
    next()
  }

export const signedInAccount = (res: Response): sessions.SignedIn | undefined =>
  res.locals.signedIn as sessions.SignedIn | undefined

/** Works only behind a check that somebody is signed in. */
export const currentAccount = (res: Response): sessions.SignedIn => res.locals.signedIn as sessions.SignedIn

/** Sends everybody else to sign in, and back here. */
export const requireSignedIn =
  (site: AccountSite) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (signedInAccount(res) === undefined) site.refuseSignedOut(req, res)
    else next()
  }

/** Browsers omit SameSite=Strict cookies when following another site's link. */
export const isFromOtherSite = (site: Cookies, req: Request): boolean =>
  req.headers['sec-fetch-site'] === 'cross-site' && readTokenCookie(site, req, 'session') === undefined

/** A script that fetches data must not be redirected to sign in. */
export function isNavigation(req: Request): boolean {
  const dest = req.headers['sec-fetch-dest']
  return isSafeMethod(req) && (dest === undefined || dest === 'document')
}

export const requireOwnOrigin =
  (site: Pick<AccountSite, 'deps' | 'refuse'>) => (req: Request, res: Response, next: NextFunction) => {
    if (isSafeMethod(req) || isFromOwnSite(req, site.deps.config.publicUrl)) next()
    else site.refuse(res, 'other-site')
  }

export const checkCsrf =
  (site: Pick<AccountSite, 'refuse'>) => (req: Request, res: Response, next: NextFunction) => {
    if (sessions.hasValidCsrf(currentAccount(res), readCsrfToken(req))) next()
    else site.refuse(res, 'other-session')
  }

export const readCsrfToken = (req: Request): unknown => ((req.body ?? {}) as { csrf?: unknown }).csrf

export const readClient = (req: Request): sessions.SignInClient => ({
  ip: req.ip ?? '',
  userAgent: req.headers['user-agent'] ?? '',
})

/** Ends the session that the browser had before. */
export async function openOwnSession(
  site: AccountSite,
  req: Request,
  res: Response,
  token: string,
  to: string,
): Promise<void> {
  await endOwnSession(site, req, res)
  setTokenCookie(site, res, 'session', token, sessions.sessionLifetimeMs / 1000)
  sendRedirect(res, to)
}

export async function endOwnSession(site: AccountSite, req: Request, res: Response): Promise<void> {
  const token = readTokenCookie(site, req, 'session')
  const account = signedInAccount(res)
  if (token !== undefined && account !== undefined)
    await sessions.signOut(site.deps, token, sessions.byAccount(site.deps, account.id, req.ip ?? ''))
}
