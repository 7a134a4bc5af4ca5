import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import type { RefusedForm } from '../account-pages/forms.ts'
import { addProofPage, newAccountFields, type ProofPage, sendInvalidLink } from '../account-pages/sign-in.ts'
import { type AccountSite, openOwnSession, readClient, readCsrfToken } from '../account-pages/site.ts'
import { hasValidCsrf } from '../accounts/sessions.ts'
import { signIn } from '../accounts/sign-in.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { renderHiddenInput } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { PeopleRefusedError } from '../people/change-people.ts'
import { findInvitation, type JoinResult, joinSignedIn, joinWithPassword } from '../people/invite.ts'
import type { Invitation } from '../people/person.ts'
import type { Deps } from '../platform/deps.ts'
import { sendPersonPage } from './frame.ts'
import { frameLocaleOf } from './locale.ts'
import { signedInPerson } from './visit.ts'

interface Invited {
  token: string
  invitation: Invitation
  business: string
  csrf: string | null
}

/** A new person chooses a password. Somebody who has an account accepts when signed in. */
export function addInvitationPages(router: Router, deps: Deps, site: AccountSite): void {
  addProofPage(router, site, invitationPage(deps, site))
}

const invitationPage = (deps: Deps, site: AccountSite): ProofPage<Invited> => ({
  path: '/invitation/:token',
  action: '/invitation',
  title: 'join',
  button: 'join',
  async find(req, res) {
    const token = isSafeMethod(req) ? String(req.params['token']) : readFormFields(req, 'token').token
    const invitation = await findInvitation(deps, token)
    const business = invitation && (await deps.Business.findOne({ _id: invitation.businessId }).lean())
    if (invitation === null || business === null) sendInvalidLink(site, res)
    else {
      const { name } = invitation
      const own = signedInPerson(res)
      if (own?.name === name) return { token, invitation, business: business.name, csrf: own.csrf }
      if (own !== undefined) sendRefusal(res, 'other-person')
      else if ((await deps.Person.exists({ name })) === null)
        return { token, invitation, business: business.name, csrf: null }
      else sendRedirect(res, `/portal/sign-in?to=${encodeURIComponent(`/portal/invitation/${token}`)}`)
    }
    return null
  },
  fields({ token, invitation: { name, role }, business, csrf }, words) {
    const about = html`<p>!${words.joinAs(html`<bdi>${business}</bdi>`, words.roles[role])}</p>`
    if (csrf === null) return about + newAccountFields(words, token, name)
    return about + renderHiddenInput('token', token) + renderHiddenInput('csrf', csrf)
  },
  async enter({ token }, req, res) {
    const result = await join(deps, site, token, req, res).catch((error: unknown) => {
      if (!(error instanceof PeopleRefusedError)) throw error
      sendRefusal(res, error.why)
    })
    return result ?? null
  },
})

/** Resolves to what was refused. */
async function join(deps: Deps, site: AccountSite, token: string, req: Request, res: Response) {
  const { ip = '' } = req
  const person = signedInPerson(res)
  if (person !== undefined) {
    if (hasValidCsrf(person, readCsrfToken(req)))
      return settle(site, res, await joinSignedIn(deps, { token, person, ip }))
    return site.refuse(res, 'other-session')
  }
  const { password, again } = readFormFields(req, 'password', 'again')
  if (password !== again) return { outcome: 'invalid', fault: 'mismatch' } as const
  const joined = await joinWithPassword(site.deps, { token, password, ip })
  if (joined.outcome !== 'joined') return settle(site, res, joined)
  const { name } = joined.person
  const entered = await signIn(site.deps, { name, password, client: readClient(req) })
  if (entered.outcome !== 'signed-in') return sendRedirect(res, '/portal/sign-in')
  await openOwnSession(site, req, res, entered.token, '/portal')
}

function settle(site: AccountSite, res: Response, result: JoinResult): RefusedForm | undefined {
  if (result.outcome === 'refused') sendInvalidLink(site, res)
  else if (result.outcome === 'joined' || result.outcome === 'must-sign-in')
    sendRedirect(res, '/portal/sign-in')
  else return result
  return undefined
}

function sendRefusal(res: Response, why: PeopleRefusedError['why']) {
  const { words } = frameLocaleOf(res)
  const body = html`<h1>${words.notJoined}</h1><p class="notice bad" role="alert">${words.peopleRefusals[why]}</p>
<p><a href="/portal">${words.start}</a></p>`
  sendPersonPage(res, { status: 409, title: words.notJoined, body, isNarrow: true })
}
