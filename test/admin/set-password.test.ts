import { dayMs } from '../../src/platform/time.ts'
import { createAccountWithLink, issuePasswordLink, setStaffDisabled } from '../../src/staff/change-account.ts'
import { recordLog } from '../support/recorded-log.ts'
import { withSecondProcess, withService } from '../support/service.ts'
import { openAdmin } from './admin.ts'
import { hiddenFields, operator, production, signedIn, signInStatus, trailOf, visit } from './staff.ts'

const password = 'trois petits chats gris'
const recorded = recordLog()

describe('A password link', () => {
  const service = withService({}, recorded.log)
  const beside = withSecondProcess(service)
  const pathOf = (link: string): string => new URL(link).pathname
  const tokenOf = (link: string): string => link.split('/').at(-1) ?? ''
  let names = 0
  const invite = async () => {
    const input = { name: `invited-${names++}`, role: 'viewer' } as const
    return (await createAccountWithLink(service.deps, input, operator)) ?? expect.fail()
  }
  const submit = (token: string, fields: Record<string, string> = {}, at = service) =>
    visit(at).post('/admin/set-password', { token, password, again: password, ...fields })
  const signIn = (name: string, typed = password) => signInStatus(service, name, typed)

  const whileHashing = (run: () => Promise<unknown>) => {
    const { slowHash } = service.deps
    const { make } = slowHash
    slowHash.make = async (text) => {
      slowHash.make = make
      await run()
      return make(text)
    }
  }

  it('is printed by the command line in production instead of a password', async () => {
    const cli = openAdmin(service)
    const run = async (...args: string[]): Promise<Record<string, string>> => {
      const { stdout, stderr } = await cli.hereWith(production, 'staff', ...args, '--json')
      expect(stderr).to.equal('')
      return JSON.parse(stdout)
    }
    const made = await run('create', '--name', 'moussa', '--role', 'support')
    expect(made).to.have.all.keys('name', 'link')
    expect(made.link).to.match(/^https:\/\/api\.example\/admin\/set-password\/[\w-]{43}$/)
    expect((await submit(tokenOf(made.link ?? ''))).status).to.equal(200)
    expect(await signIn('moussa')).to.equal(303)
    const renewed = await run('password', 'moussa')
    expect([renewed.name, await signIn('moussa')]).to.deep.equal(['moussa', 403])
    expect((await submit(tokenOf(renewed.link ?? ''))).status).to.equal(200)
    expect(await signIn('moussa')).to.equal(303)
    expect(await run('reset-factor', 'moussa')).to.deep.equal({ name: 'moussa', secondFactor: false })
  })

  it('sets the password once, ends all sessions and survives a link preview', async () => {
    const { name, password: old } = await signedIn(service, 'viewer')
    const earlier = visit(service)
    await earlier.post('/admin/sign-in', { name, password: old })
    const { link = '' } = (await issuePasswordLink(service.deps, name, operator)) ?? {}
    // Issuing the link already ends the old password and all sessions.
    expect(await signIn(name, old)).to.equal(403)
    expect((await earlier.get('/admin/audit')).status).to.equal(303)
    for (const at of [service, beside, service]) {
      const preview = await visit(at).get(pathOf(link), { 'Sec-Fetch-Site': 'cross-site' })
      expect([preview.status, hiddenFields(preview.text).token]).to.deep.equal([200, tokenOf(link)])
      expect(preview.text).to.include(`value="${name}" autocomplete="username"`).and.include('"new-password"')
    }
    const results = await Promise.all([service, beside, service].map((at) => submit(tokenOf(link), {}, at)))
    expect(results.map(({ status }) => status)).to.have.members([200, 404, 404])
    expect((await visit(service).get(pathOf(link))).status).to.equal(404)
    expect(await signIn(name)).to.equal(303)
    const trail = (await trailOf(service, name)).map(({ act, actor }) => `${act} ${actor.kind}`)
    expect(trail.slice(-2)).to.deep.equal(['staff.password-changed staff', 'staff.signed-in staff'])
    expect((await trailOf(service, name)).at(-2)?.after).to.deep.equal({ with: 'link' })
    const { Staff, AuditEvent, Counter } = service.deps
    const stored = await Promise.all([Staff.find().lean(), AuditEvent.find().lean(), Counter.find().lean()])
    for (const text of [JSON.stringify(stored), recorded.text])
      for (const secret of [tokenOf(link), password]) expect(text).not.to.include(secret)
    expect(recorded.text).to.include('GET /admin/set-password/:token')
  })

  it('stops working if it is replaced, if the account is disabled, or after 24 hours', async () => {
    const endings: ((name: string) => unknown)[] = [
      (name) => issuePasswordLink(service.deps, name, operator),
      async (name) => {
        for (const disabled of [true, false]) await setStaffDisabled(service.deps, name, disabled, operator)
      },
      () => service.clock.advance(dayMs),
    ]
    for (const end of endings) {
      const { name, link } = await invite()
      expect((await visit(service).get(pathOf(link))).status).to.equal(200)
      await end(name)
      expect((await visit(service).get(pathOf(link))).status).to.equal(404)
      expect((await submit(tokenOf(link))).status).to.equal(404)
      expect(await signIn(name)).to.equal(403)
    }
    for (const unknown of ['', 'x', 'A'.repeat(43)]) expect((await submit(unknown)).status).to.equal(404)
  })

  it('sets no password if another link is issued while the new password is being hashed', async () => {
    const invited = await invite()
    whileHashing(() => issuePasswordLink(service.deps, invited.name, operator))
    expect((await submit(tokenOf(invited.link))).status).to.equal(404)
    const member = await signedIn(service, 'viewer')
    whileHashing(() => issuePasswordLink(service.deps, member.name, operator))
    const fields = { old: member.password, password, again: password }
    expect((await member.act('/admin/account/password', fields)).status).to.equal(403)
    for (const { name } of [invited, member]) expect(await signIn(name)).to.equal(403)
  })

  it('sets only the first password: a further change requires the old one, even in the same session', async () => {
    const member = await signedIn(service, 'viewer')
    const change = (to: string) =>
      member.act('/admin/account/password', { old: member.password, password: to, again: to })
    whileHashing(async () => expect((await change(password)).status).to.equal(303))
    expect((await change(`${password} blancs`)).status).to.equal(403)
    expect(await signIn(member.name)).to.equal(303)
  })

  it("accepts a password of 12 to 200 characters that isn't close to a common one or the user's name", async () => {
    const { name, link } = await invite()
    const weak = ['a'.repeat(16), 'Password123456!', 'motdepasse2026', 'azertyuiop1234567890', '123456789012']
    const ofName = [`${name}-${name}`, `${name.toUpperCase()}2026!`]
    for (const each of ['short one 7', 'x'.repeat(201), ...weak, ...ofName]) {
      const { status, text } = await submit(tokenOf(link), { password: each, again: each })
      expect([each, status]).to.deep.equal([each, 400])
      expect(text).to.match(/role="alert">The password /)
      expect(text).not.to.include(each)
    }
    const different = await submit(tokenOf(link), { again: `${password}x` })
    expect([different.status, different.text.includes('do not match')]).to.deep.equal([400, true])
    const fine = '§ pâté chinois 🎲'
    expect((await submit(tokenOf(link), { password: fine, again: fine })).status).to.equal(200)
    expect(await signIn(name, fine)).to.equal(303)
  })
})
