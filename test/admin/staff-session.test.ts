import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { endOtherSessions } from '../../src/accounts/sessions.ts'
import { createBusiness } from '../../src/businesses/change-business.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { hourMs } from '../../src/platform/time.ts'
import { withStaffAccounts } from '../../src/staff/account.ts'
import { renewPassword, setStaffDisabled } from '../../src/staff/change-account.ts'
import { businessActions } from '../../src/staff-acts/business-acts.ts'
import { staffStylesheet } from '../../src/staff-pages/layout.ts'
import { openSecondProcess } from '../support/actions.ts'
import { recordLog } from '../support/recorded-log.ts'
import { openService, secretKey, withSecondProcess, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import * as staff from './staff.ts'

const { hiddenFields, isSignedIn: isIn, operator, signedIn, signInStatus, visit } = staff
const navigation = { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate' }

describe('A staff session', () => {
  const service = withService()
  const beside = withSecondProcess(service)
  const there = (visitor: staff.Visitor) => visit(beside, visitor.cookie)

  it('is required for every page, action and script', async () => {
    const signedOut = visit(service)
    for (const below of ['', '/', '/audit?who=x', '/businesses', '/staff', '/queues', '/nothing']) {
      const path = `/admin${below}`
      const { status, location } = await signedOut.get(path)
      expect([status, location]).to.deep.equal([303, `/admin/sign-in?to=${encodeURIComponent(path)}`])
    }
    const refused = [
      await signedOut.post('/admin/sign-out', {}),
      await signedOut.post('/admin/deliveries/x/requeue', {}),
      await signedOut.post('/admin/keys/x/revoke', {}),
      await signedOut.get('/admin/audit', { 'Sec-Fetch-Dest': 'empty' }),
    ]
    for (const { status, text, headers } of refused) {
      expect(status).to.equal(403)
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(text).to.include('not signed in')
    }
    expect((await signedOut.get('/admin/queues/api/queues')).status).to.equal(403)
  })

  it('cannot be opened with a cookie that the service did not issue', async () => {
    const { cookie } = await signedIn(service, 'viewer')
    const value = cookie.split('=')[1] ?? ''
    const values = ['', 'A'.repeat(43), value.slice(1), '%00%ff; a', encodeURIComponent('{"$ne":null}')]
    const forged = values.map((text) => `__Host-staff=${text}`)
    for (const each of [...forged, `staff=${value}`, `__host-staff=${value}`, '=;;=__Host-staff'])
      expect(await isIn(visit(service, each)), each).to.equal(false)
    expect(await isIn(visit(service, `a=b; ${cookie}; c=d`))).to.equal(true)
  })

  it('survives opening a link in an email, when the browser first omits the session cookie', async () => {
    const path = '/admin/audit?who=x'
    const fromMail = await visit(service).get(path, { ...navigation, 'Sec-Fetch-Site': 'cross-site' })
    expect([fromMail.status, fromMail.location]).to.deep.equal([200, null])
    expect(fromMail.text).to.include('<meta http-equiv="refresh" content="0" />').and.not.include('Audit')
    // The page reloads itself, this time from the same site.
    const again = { ...navigation, 'Sec-Fetch-Site': 'same-origin' }
    expect((await visit(service).get(path, again)).status).to.equal(303)
    expect((await (await signedIn(service, 'viewer')).get(path, again)).status).to.equal(200)
  })

  it('ends immediately on every process after a sign-out', async () => {
    const viewer = await signedIn(service, 'viewer')
    const [kept, keptThere] = [visit(service, viewer.cookie), there(viewer)]
    expect([await isIn(kept), await isIn(keptThere)]).to.deep.equal([true, true])
    const out = await viewer.act('/admin/sign-out')
    expect([out.status, out.location]).to.deep.equal([303, '/admin/sign-in'])
    expect(out.headers.get('set-cookie')).to.match(/^__Host-staff=; Max-Age=0; Path=\//)
    expect([await isIn(kept), await isIn(keptThere), await isIn(viewer)]).to.deep.equal([false, false, false])
  })

  it('can submit forms to every process, including one that already uses the new SECRET_KEY', async () => {
    const newer = randomBytes(32).toString('base64')
    const exchanged = await openSecondProcess(service, { SECRET_KEY: newer, SECRET_KEY_PREVIOUS: secretKey })
    const viewer = await signedIn(service, 'viewer')
    const { csrf = '' } = hiddenFields((await viewer.get('/admin/audit')).text)
    const after = visit(exchanged, viewer.cookie)
    const other = (csrf.startsWith('A') ? 'B' : 'A') + csrf.slice(1)
    expect((await after.post('/admin/sign-out', { csrf: other })).status).to.equal(403)
    expect((await after.post('/admin/sign-out', { csrf })).status).to.equal(303)
    await exchanged.close()
  })

  const endings: Record<string, (name: string) => Promise<unknown>> = {
    'the account is disabled': (name) => setStaffDisabled(service.deps, name, true, operator),
    'the password is changed': (name) => renewPassword(service.deps, name, operator),
    'its sessions are ended': (name) =>
      endOtherSessions(withStaffAccounts(service.deps), { id: name, keptId: '' }, operator),
  }
  for (const [what, end] of Object.entries(endings)) {
    it(`ends permanently on every process as soon as ${what}`, async () => {
      const viewer = await signedIn(service, 'support')
      const { name, password } = viewer
      expect(await isIn(there(viewer))).to.equal(true)
      await end(name)
      expect([await isIn(viewer), await isIn(there(viewer))]).to.deep.equal([false, false])
      await setStaffDisabled(service.deps, name, false, operator)
      expect(await isIn(viewer)).to.equal(false)
      expect(await signInStatus(beside, name, password)).to.equal(what.includes('password') ? 403 : 303)
    })

    it(`performs no action that passed all checks if ${what} in the meantime`, async () => {
      const admin = await signedIn(service, 'admin')
      const business = await createBusiness(service.deps, { name: 'Shop', liveApproved: false }, operator)
      const act = businessActions.acts.suspend ?? expect.fail()
      const { run } = act
      act.run = async (...args) => {
        await end(admin.name)
        return run(...args)
      }
      const acting = admin.act(`/admin/businesses/${business._id}/suspend`, { reason: 'ticket 4711' })
      const { status, text } = await acting.finally(() => Object.assign(act, { run }))
      expect([status, text]).to.deep.equal([403, text.replace(/<nav[^]*<\/nav>/, '')])
      expect(text).to.include('You are not signed in, or your session has ended.')
      expect(await service.deps.Business.findById(business._id).lean()).to.deep.equal(business)
      const filter = { 'actor.name': admin.name, act: /^business/ }
      expect(await service.deps.AuditEvent.countDocuments(filter)).to.equal(0)
    })
  }

  it('can still be used while a lock on it is held by a dead process', async () => {
    const { deps, clock } = service
    const viewer = await signedIn(service, 'viewer')
    clock.advance(hourMs)
    const { _id } = (await deps.StaffSession.findOne({ staffName: viewer.name }).lean()) ?? expect.fail()
    const session = deps.transactions.client.startSession()
    session.startTransaction()
    await rawCollection(deps.StaffSession).updateOne({ _id }, { $set: { client: 'x' } }, { session })
    expect(await isIn(viewer)).to.equal(true)
    // MongoDB would have ended the transaction if the page had waited for it.
    await session.commitTransaction()
    await session.endSession()
    expect((await deps.StaffSession.findById(_id).lean())?.client).to.equal('x')
  })

  it("starts at each sign-in and ends the browser's previous session", async () => {
    const viewer = await signedIn(service, 'viewer')
    const before = visit(beside, viewer.cookie)
    const { name, password } = viewer
    await viewer.post('/admin/sign-in', { name, password })
    expect(viewer.cookie).not.to.equal(before.cookie)
    expect([await isIn(viewer), await isIn(before)]).to.deep.equal([true, false])
    const again = await viewer.get('/admin/sign-in?to=/admin/dead')
    expect([again.status, again.location]).to.deep.equal([303, '/admin/dead'])
  })

  it("accepts only forms that come from the service's own pages and contain the session's token", async () => {
    const [one, other] = [await signedIn(service, 'viewer'), await signedIn(service, 'viewer')]
    const tokenOf = async (by: staff.Visitor) => hiddenFields((await by.get('/admin/audit')).text).csrf
    const [csrf = '', foreign = ''] = [await tokenOf(one), await tokenOf(other)]
    const signOut = async (fields: Record<string, string>, headers = {}) =>
      (await one.post('/admin/sign-out', fields, headers)).status
    for (const fields of [{}, { csrf: foreign }, { csrf: `${csrf}x` }, { 'csrf[]': csrf }])
      expect(await signOut(fields)).to.equal(403)
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'same-site' }])
      expect(await signOut({ csrf }, headers)).to.equal(403)
    expect(await isIn(one)).to.equal(true)
    expect(await signOut({ csrf })).to.equal(303)
  })

  it("adds its start, its end and the client's address to the audit trail", async () => {
    const viewer = await signedIn(service, 'viewer')
    await viewer.act('/admin/sign-out')
    const lines = await service.deps.AuditEvent.find({ 'actor.name': viewer.name }).sort({ _id: 1 }).lean()
    const ends = lines.map(({ act, actor }) => `${act} ${actor.kind} ${actor.from}`)
    expect(ends).to.deep.equal(['staff.signed-in staff 127.0.0.1', 'staff.signed-out staff 127.0.0.1'])
  })

  it('ends exactly 12 h after the sign-in, even if it is in use', async () => {
    const viewer = await signedIn(service, 'viewer')
    service.clock.advance(12 * hourMs - 60_000)
    expect(await isIn(viewer)).to.equal(true)
    service.clock.advance(60_000)
    expect(await isIn(viewer)).to.equal(false)
  })
})

describe('A staff page', () => {
  const recorded = recordLog()
  const service = withService({}, recorded.log)
  const viewer = staff.withStaff(service, 'viewer')

  it('allows no scripts, third-party resources, framing or caching', async () => {
    for (const { headers, text } of [
      await visit(service).get('/admin/sign-in'),
      await viewer.get('/admin/audit'),
      await viewer.get('/admin/nothing'),
    ]) {
      const policy = String(headers.get('content-security-policy')).split(';')
      const none = ['default-src', 'frame-ancestors', 'base-uri'].map((name) => `${name} 'none'`)
      const own = ["style-src 'self'", "img-src 'self' data:", "form-action 'self'"]
      expect(policy).to.have.members([...none, ...own])
      expect(Object.fromEntries(headers))
        .to.include({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
        .and.include({ 'referrer-policy': 'strict-origin', 'x-content-type-options': 'nosniff' })
        .and.not.have.any.keys('strict-transport-security', 'x-powered-by')
      expect(text).not.to.match(/<script|style="|\son\w+=/)
    }
  })

  it('shows an error without a stack trace', async () => {
    const invalid = ['from=yesterday', 'who=a&who=b', 'before=1', 'before=9999999999999999-x']
    const paths = ['nothing', 'AUDIT', 'audit/', '%ff', ...invalid.map((query) => `audit?${query}`)]
    for (const path of [...paths, 'audit?from=2026-02-01&to=2026-01-01']) {
      const got = await viewer.get(`/admin/${path}`)
      expect(got.status, path).to.equal(path.includes('?') ? 400 : 404)
      expect(got.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(got.text).to.match(/^<!doctype html>/)
      expect(got.text).to.not.match(/\n\s+at |node_modules/)
      if (path.includes('before='))
        expect(got.text).to.include('must come from the link').and.not.include('\\d')
    }
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`X-H-${index}`, '1']))
    const overfull = await viewer.get('/admin/audit', many)
    expect(overfull.status).to.equal(431)
    expect(overfull.headers.get('content-type')).to.equal('text/html; charset=utf-8')
  })

  it('responds to HEAD as it does to GET, but without a body', async () => {
    const headers = { Cookie: viewer.cookie }
    const stylesheet = basename(staffStylesheet.path)
    const statuses = { audit: 200, 'sign-in': 303, nothing: 404, [stylesheet]: 200 }
    for (const [path, status] of Object.entries(statuses)) {
      const init = { method: 'HEAD', headers, redirect: 'manual' } as const
      const response = await fetch(`${service.origin}/admin/${path}`, init)
      expect([response.status, await response.text()]).to.deep.equal([status, ''])
    }
  })

  it('uses a stylesheet whose URL changes with its content', async () => {
    const { text } = await visit(service).get('/admin/sign-in')
    const path = String(/rel="stylesheet" href="([^"]+)"/.exec(text)?.[1]).replace('&#61;', '=')
    const style = await visit(service).get(path)
    expect([style.status, style.headers.get('content-type')]).to.deep.equal([200, 'text/css; charset=utf-8'])
    expect(style.headers.get('cache-control')).to.include('immutable')
  })

  it("logs each request's route and the staff member's name, but no ids, queries or passwords", async () => {
    const before = recorded.lines().length
    const support = await signedIn(service, 'support')
    await support.get('/admin/audit?who=hidden-query')
    await support.get('/admin/payments/PI-HIDDEN')
    await support.get('/admin/queues/queue/hidden')
    await visit(service).get('/admin/hidden')
    const lines = await waitFor('its lines', () => {
      const found = recorded
        .lines()
        .slice(before)
        .filter(({ msg }) => msg === 'http.request')
      return found.length === 5 && found
    })
    const seen = lines.map(({ route, status, staff: name }) => [route, status, name])
    expect(seen[0]).to.deep.equal(['POST /admin/sign-in', 303, null])
    expect(seen[1]).to.deep.equal(['GET /admin/audit', 200, support.name])
    expect(seen.map(([, , name]) => name).slice(2)).to.deep.equal([support.name, support.name, null])
    for (const secret of ['hidden', 'HIDDEN', support.password, String(support.cookie.split('=')[1])])
      expect(recorded.text).not.to.include(secret)
  })

  it('makes browsers use only https in production', async () => {
    const live = await openService(staff.production)
    const { headers } = await visit(live).get('/admin/sign-in')
    await live.close()
    expect(headers.get('strict-transport-security')).to.equal('max-age=31536000')
  })
})
