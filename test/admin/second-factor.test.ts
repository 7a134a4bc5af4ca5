import { removeSecondFactor, renewPassword, setStaffDisabled } from '../../src/staff/change-account.ts'
import { withSecondProcess, withService } from '../support/service.ts'
import * as staff from './staff.ts'

const { addFactor, hiddenFields, isSignedIn: isIn, operator, refusalsIn } = staff
const { scan, signedIn, trailOf, visit } = staff
const stepMs = 30_000

describe('A second factor', () => {
  const service = withService({ TRUST_PROXY: '1' })
  const beside = withSecondProcess(service, { TRUST_PROXY: '1' })
  before(() => {
    for (const { clock } of [service, beside]) clock.freeze(new Date('2026-03-01T12:00:10Z'))
  })
  const advance = (ms: number) => {
    for (const { clock } of [service, beside]) clock.advance(ms)
  }

  const trail = async (subject: string, acts: RegExp) =>
    (await trailOf(service, subject)).filter(({ act }) => acts.test(act))
  /** A staff member with a second factor, at a time step whose code is unused. */
  const secured = async () => {
    const visitor = await signedIn(service, 'support')
    const phone = await addFactor(service, visitor)
    advance(2 * stepMs)
    return { ...phone, visitor, name: visitor.name, password: visitor.password }
  }
  const enterPassword = async ({ name, password }: { name: string; password: string }, at = service) => {
    const visitor = visit(at)
    const first = await visitor.post('/admin/sign-in', { name, password, to: '/admin/dead' })
    const page = await visitor.get(String(first.location))
    const enter = (code: string, headers = {}) =>
      visitor.post('/admin/sign-in/code', { ...hiddenFields(page.text), code }, headers)
    return { visitor, first, page, enter }
  }

  it('is required: no page opens and no action runs with the password alone', async () => {
    const account = await secured()
    const { visitor, first, page, enter } = await enterPassword(account)
    expect([first.status, first.location]).to.deep.equal([303, '/admin/sign-in/code?to=%2Fadmin%2Fdead'])
    expect(first.headers.get('set-cookie')).to.match(
      /^__Host-staff-pending=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect([page.status, page.text.includes('autocomplete="one-time-code"')]).to.deep.equal([200, true])
    const asSession = visit(service, visitor.cookie.replace('-pending', ''))
    for (const each of [visitor, asSession]) {
      expect((await each.get('/admin/account')).location).to.equal('/admin/sign-in?to=%2Fadmin%2Faccount')
      const { csrf = '' } = hiddenFields(page.text)
      expect((await each.post('/admin/account/end-other-sessions', { csrf })).status).to.equal(403)
      expect((await each.get('/admin/queues/api/queues')).status).to.equal(403)
    }
    expect((await visitor.post('/admin/sign-in/code', { code: account.code() })).status).to.equal(403)
    const wrongCodes = ['', '000000', `${account.code()}0`, account.code(-2), account.code(2), 'x'.repeat(24)]
    for (const [index, wrong] of wrongCodes.entries())
      expect((await enter(wrong, { 'X-Forwarded-For': `198.51.100.${index}` })).status, wrong).to.equal(403)
    const done = await enter(account.code().replace(/^.../, '$& '))
    expect([done.status, done.location]).to.deep.equal([303, '/admin/dead'])
    expect(done.headers.get('set-cookie')).to.match(/^__Host-staff=[\w-]{43}; Max-Age=43200;/)
    expect(await isIn(visitor)).to.equal(true)
    const lines = await trail(account.name, /signed-in|refused/)
    expect(lines.map(({ act, after }) => [act, after])).to.have.deep.members([
      ['staff.signed-in', null],
      ...wrongCodes.slice(1).map(() => ['staff.sign-in-refused', { reason: 'wrong code' }]),
      ['staff.sign-in-refused', { reason: 'wrong or used recovery code' }],
      ['staff.signed-in', { secondFactor: 'code' }],
    ])
    // A sign-in can't be used twice in the same browser, even with a new code.
    advance(stepMs)
    const reused = visit(service, String(first.headers.get('set-cookie')))
    expect((await reused.get('/admin/sign-in/code')).status).to.equal(303)
  })

  it('accepts the code of each time step only once, even across two processes', async () => {
    const account = await secured()
    const tabs = await Promise.all([service, beside, service].map((at) => enterPassword(account, at)))
    const code = account.code(1)
    const statuses = (await Promise.all(tabs.map(({ enter }) => enter(code)))).map(({ status }) => status)
    expect(statuses).to.have.members([303, 403, 403])
    // Earlier steps are used up too, although their codes are still within the accepted minute.
    const [late] = tabs.filter((_, index) => statuses[index] === 403)
    expect((await late?.enter(account.code(0)))?.status).to.equal(403)
    advance(2 * stepMs)
    expect((await late?.enter(account.code()))?.status).to.equal(303)
    const refused = await refusalsIn(service, ({ subject }) => subject === account.name)
    expect(refused).to.deep.equal({ count: 3, notes: [`${account.name}: the code was already used`] })
  })

  it('accepts each recovery code once instead of a code from the app', async () => {
    const account = await secured()
    const [code = '', second = ''] = account.recoveryCodes
    const tabs = await Promise.all([service, beside].map((at) => enterPassword(account, at)))
    const statuses = (await Promise.all(tabs.map(({ enter }) => enter(code)))).map(({ status }) => status)
    expect(statuses).to.have.members([303, 403])
    const again = await enterPassword(account)
    expect((await again.enter(second.toUpperCase().replaceAll('-', ' '))).status).to.equal(303)
    expect((await trail(account.name, /signed-in/)).slice(1).map(({ after }) => after)).to.deep.equal([
      { secondFactor: 'recovery code', codesLeft: 9 },
      { secondFactor: 'recovery code', codesLeft: 8 },
    ])
    const { Staff, StaffSession, AuditEvent } = service.deps
    const found = [
      await Staff.find().lean(),
      await StaffSession.find().lean(),
      await AuditEvent.find().lean(),
    ]
    const stored = JSON.stringify(found)
    for (const each of account.recoveryCodes)
      expect(stored.replaceAll('-', '')).not.to.include(each.replaceAll('-', ''))
    expect((await again.visitor.get('/admin/account')).text).to.include('Unused recovery codes: 8')
    advance(stepMs)
    const renewed = await again.visitor.act('/admin/account/recovery-codes', { code: account.code() })
    expect([renewed.status, (renewed.text.match(/<li><code>/g) ?? []).length]).to.deep.equal([200, 10])
    expect((await (await enterPassword(account)).enter(account.recoveryCodes[2] ?? '')).status).to.equal(403)
    const wrong = await again.visitor.act('/admin/account/recovery-codes', { code: '000000' })
    expect(wrong.status).to.equal(403)
    expect(await trail(account.name, /codes-renewed/)).to.have.lengthOf(1)
  })

  it('must be entered within five minutes of the password', async () => {
    const endings: Record<string, (name: string) => unknown> = {
      expired: () => advance(5 * 60_000),
      disabled: (name) => setStaffDisabled(service.deps, name, true, operator),
      'another password': (name) => renewPassword(service.deps, name, operator),
      'factor removed': (name) => removeSecondFactor(service.deps, name, operator),
    }
    for (const [what, end] of Object.entries(endings)) {
      const account = await secured()
      const { enter, visitor } = await enterPassword(account)
      await end(account.name)
      const late = await enter(account.code())
      expect([late.location, visitor.cookie], what).to.deep.equal(['/admin/sign-in?to=%2Fadmin%2Fdead', ''])
      if (what === 'disabled') await setStaffDisabled(service.deps, account.name, false, operator)
      expect(await isIn(account.visitor), what).to.equal(what === 'expired')
    }
  })

  it('can fail ten times per account and hour across all networks, but a recovery code still works', async () => {
    const account = await secured()
    const { enter } = await enterPassword(account)
    const from = (index: number) => ({ 'X-Forwarded-For': `203.0.${index}.1` })
    const wrong = Array.from({ length: 10 }, (_, index) => enter('000000', from(index)))
    expect(new Set((await Promise.all(wrong)).map(({ status }) => status))).to.deep.equal(new Set([403]))
    const late = await enter(account.code(), from(20))
    expect([late.status, Number(late.headers.get('retry-after'))]).to.deep.equal([429, 3600])
    expect(late.text).to.include('Too many attempts. Try again in 60 minutes.')
    expect((await enter(account.recoveryCodes[0] ?? '', from(20))).status).to.equal(303)
    expect((await (await enterPassword(account)).enter(account.code(), from(20))).status).to.equal(429)
    advance(3600_000)
    expect((await (await enterPassword(account)).enter(account.code(), from(20))).status).to.equal(303)
  })

  it('can be added only with a code from the new app, in a form of the same session', async () => {
    const visitor = await signedIn(service, 'viewer')
    const other = visit(service)
    await other.post('/admin/sign-in', { name: visitor.name, password: visitor.password })
    const [mine, theirs] = [await scan(service, visitor), await scan(service, other)]
    const path = '/admin/account/second-factor'
    const submit = (fields: Record<string, string>) => visitor.post(path, { ...mine.fields, ...fields })
    expect((await submit({ code: '000000' })).text).to.include('The code of the new app is wrong')
    expect((await submit({ sealed: String(theirs.fields.sealed), code: theirs.code() })).status).to.equal(409)
    expect((await submit({ code: mine.code(), csrf: '' })).status).to.equal(403)
    const account = () => service.deps.Staff.findById(visitor.name).lean()
    expect((await account())?.secondFactor).to.equal(null)
    const adding = [
      submit({ code: mine.code() }),
      other.post(path, { ...theirs.fields, code: theirs.code() }),
    ]
    const both = await Promise.all(adding)
    expect(both.map(({ status }) => status).filter((status) => status === 200)).to.have.lengthOf(1)
    expect([await isIn(visitor), await isIn(other)].filter(Boolean)).to.have.lengthOf(1)
    for (const { secret } of [mine, theirs]) expect(JSON.stringify(await account())).not.to.include(secret)
    expect(await trail(visitor.name, /factor-added/)).to.have.lengthOf(1)
  })

  it('can be replaced only with a code from the current app', async () => {
    const account = await secured()
    const { fields, code } = await scan(service, account.visitor)
    const submit = (current: string) =>
      account.visitor.post('/admin/account/second-factor', { ...fields, code: code(), current })
    for (const wrong of ['', code(), '000000']) expect((await submit(wrong)).status, wrong).to.equal(403)
    const refused = await refusalsIn(service, ({ actor }) => actor.name === account.name)
    expect(refused).to.deep.equal({ count: 3, notes: [`${account.name}: wrong code`] })
    expect((await submit(account.recoveryCodes[0] ?? '')).status).to.equal(200)
    expect(await isIn(account.visitor)).to.equal(true)
    advance(stepMs)
    const { enter } = await enterPassword(account)
    expect((await enter(account.code())).status).to.equal(403)
    expect((await enter(account.recoveryCodes[1] ?? '')).status).to.equal(403)
    expect((await enter(code())).status).to.equal(303)
  })
})

describe('A second factor in production', () => {
  const service = withService(staff.production)

  it('must be set up by support staff and admins, but not by viewers, before any other page opens', async () => {
    expect((await (await signedIn(service, 'viewer')).get('/admin/account')).status).to.equal(200)
    for (const role of ['support', 'admin'] as const) {
      const visitor = await signedIn(service, role)
      const setUp = '/admin/account/second-factor'
      const page = await visitor.get(setUp)
      expect(page.status).to.equal(200)
      expect(page.text).to.include('Your role requires a second factor')
      const { csrf = '' } = hiddenFields(page.text)
      const pages = ['', '/', '/dead', '/audit', '/account', '/queues', '/nothing', '/%61udit']
      for (const path of role === 'support' ? [...pages, '/account/second-factor/'] : ['']) {
        const { status, location } = await visitor.get(`/admin${path}`)
        expect([path, status, location]).to.deep.equal([path, 303, setUp])
      }
      expect((await visitor.get('/admin/queues/api/queues')).status).to.equal(403)
      const ofAccount = ['password', 'recovery-codes', 'end-other-sessions', 'sessions/x/end']
      const acts = ofAccount.map((act) => `account/${act}`)
      acts.push('deliveries/x/requeue', 'endpoints/x/requeue-all')
      for (const path of role === 'support' ? acts : acts.slice(0, 1)) {
        const { text } = await visitor.post(`/admin/${path}`, { csrf })
        expect(text, path).to.include('needs a second factor')
      }
      await addFactor(service, visitor)
      expect((await visitor.get('/admin/audit')).status).to.equal(200)
      expect((await visitor.act('/admin/sign-out')).status).to.equal(303)
    }
  })

  it('need not be set up before signing out', async () => {
    const visitor = visit(service)
    await visitor.post('/admin/sign-in', await staff.hire(service, 'support'))
    const { csrf = '' } = hiddenFields((await visitor.get('/admin/account/second-factor')).text)
    expect((await visitor.post('/admin/sign-out', { csrf })).location).to.equal('/admin/sign-in')
  })
})
