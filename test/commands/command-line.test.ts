import { hostname, userInfo } from 'node:os'
import { unsetLimits } from '../../src/businesses/business.ts'
import { withAdmin } from '../admin/admin.ts'
import { openSecondProcess } from '../support/actions.ts'
import { intents, type Service, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

/** For NODE_OPTIONS: writes the URL of each loaded module to stderr. */
const listModules = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })
`)}`

// Each command takes a third of a second of one core, so test/unit/admin-arguments.test.ts tests its arguments.
describe('npm run admin', () => {
  const service = withService()
  const cli = withAdmin(service)
  const access = async (key: string | undefined) => {
    const { status, body } = await service.http.get(intents).set({ Authorization: `Bearer ${key}` })
    return status === 200 ? 'allowed' : body.error.code
  }

  it('changes a business and its keys with effect from the next request', async () => {
    const name = "Chez Fatou & fils; $(rm) 'x'"
    const business = await cli.done('business', 'create', '--name', name)
    expect(business).to.have.all.keys('id')
    const id = String(business.id)
    const stored = await service.deps.Business.findById(id).lean()
    expect(stored).to.include({ name, liveApproved: false, apiEnabled: true, suspended: false })
    const keyOf = (mode: string, kind: string, ...more: string[]) =>
      cli.done('key', 'create', '--business', id, '--mode', mode, '--kind', kind, ...more)
    const bounds = '--scopes payments.intents:read --ip 192.0.2.7 --ip 2001:db8::/32'.split(' ')
    const [live, bound] = await Promise.all([
      keyOf('live', 'secret'),
      keyOf('test', 'publishable', ...bounds),
    ])
    expect(live).to.have.all.keys('id', 'key')
    expect([live.key?.slice(0, 8), bound.key?.slice(0, 8)]).to.deep.equal(['sk_live_', 'pk_test_'])
    expect(await service.deps.ApiKey.findById(bound.id).lean()).to.deep.include({
      scopes: ['payments.intents:read'],
      ipAllowlist: ['192.0.2.7', '2001:db8::/32'],
    })
    expect(await access(bound.key)).to.equal('IP_NOT_ALLOWED')
    const liveId = String(live.id)
    expect(await access(live.key)).to.equal('LIVE_ACCESS_NOT_APPROVED')
    await cli.done('business', 'approve', id)
    expect(await access(live.key)).to.equal('allowed')
    await cli.done('key', 'suspend', liveId)
    expect(await access(live.key)).to.equal('API_ACCESS_NOT_ACTIVE')
    await cli.done('key', 'resume', liveId)
    expect(await access(live.key)).to.equal('allowed')
    const rotated = await cli.done('key', 'rotate', liveId)
    expect(rotated).to.have.all.keys('id', 'key').and.to.include({ id: liveId })
    expect([await access(live.key), await access(rotated.key)]).to.deep.equal(['allowed', 'allowed'])
    const again = await cli.done('key', 'rotate', liveId, '--overlap-seconds', '0')
    expect(await access(rotated.key)).to.equal('INVALID_API_KEY')
    expect(await access(again.key)).to.equal('allowed')
    const limits = {
      perSecond: 500,
      liveCodes: 'default',
      sandboxIntentsPerDay: 0,
      liveDocumentsPerDay: 'default',
      liveBytesPerDay: 5_000_000_000,
      sandboxBytesPerDay: 'default',
    }
    const options = '--per-second 500 --sandbox-intents-per-day 0 --live-bytes-per-day 5000000000'
    expect(await cli.done('business', 'limit', id, ...options.split(' '))).to.deep.equal({ id, limits })
    await cli.done('business', 'limit', id, '--per-second', 'default')
    const { createdAt, lastUsedDay, ...shown } = await cli.done('business', 'show', id)
    expect(lastUsedDay).to.match(/^\d{4}-\d\d-\d\d$/)
    expect(shown).to.deep.equal({
      id,
      name,
      liveApproved: true,
      apiEnabled: true,
      suspended: false,
      limits: { ...limits, perSecond: 'default' },
      commission: [],
      commissionRates: { provider: 200, payer: 100, tof: 1400, tte: 200 },
      liveCodes: { used: 0, limit: 20_000, left: 20_000 },
      liveDocumentsToday: { used: 0, limit: 10_000_000, left: 10_000_000 },
      liveBytesToday: { used: 0, limit: 5_000_000_000, left: 5_000_000_000 },
      sandboxToday: { used: null, limit: null, left: null },
      sandboxBytesToday: { used: 0, limit: 1_000_000_000, left: 1_000_000_000 },
      keys: { active: 2, suspended: 0, revoked: 0 },
      endpoints: [],
      deliveries: { dead: 0, waiting: 0 },
      pendingPayments: { live: 0, test: 0 },
      balance: { live: 0, test: 0 },
    })
    expect(new Date(String(createdAt)).toISOString()).to.equal(createdAt)
    const limited = await service.deps.Business.findById(id).lean()
    const left = { sandboxIntentsPerDay: 0, liveBytesPerDay: 5_000_000_000 }
    expect(limited?.limits).to.deep.equal({ ...unsetLimits, ...left })
    const linesWith = (which: object) =>
      service.deps.AuditEvent.find({ businessId: id, ...which })
        .sort({ at: 1 })
        .lean()
    const named = (perSecond: number | null, creates: number | null, bytes: number | null) => ({
      'limits.perSecond': perSecond,
      'limits.sandboxIntentsPerDay': creates,
      'limits.liveBytesPerDay': bytes,
    })
    const trail = await linesWith({ act: 'business.limited' })
    expect(trail.map(({ before, after }) => [before, after])).to.deep.equal([
      [named(null, null, null), named(500, 0, 5_000_000_000)],
      [{ 'limits.perSecond': 500 }, { 'limits.perSecond': null }],
    ])
    const switches = [
      ['disable', 'FEATURE_DISABLED', { apiEnabled: false }],
      ['enable', 'allowed', { apiEnabled: true }],
      ['suspend', 'FEATURE_DISABLED', { suspended: true }],
      ['resume', 'allowed', { suspended: false }],
      ['unapprove', 'LIVE_ACCESS_NOT_APPROVED', { liveApproved: false }],
      ['approve', 'allowed', { liveApproved: true }],
    ] as const
    for (const [command, response, printed] of switches) {
      expect(await cli.done('business', command, id)).to.deep.equal({ id, ...printed })
      expect(await access(again.key), command).to.equal(response)
    }
    await cli.done('business', 'resume', id)
    const acts = ['disabled', 'enabled', 'suspended', 'resumed', 'unapproved', 'approved']
    const lines = await linesWith({ act: /^business\.(?!limited)/ })
    expect(lines.map(({ act }) => act)).to.deep.equal(
      ['created', 'approved', ...acts].map((act) => `business.${act}`),
    )
    expect(lines[4]).to.deep.include({
      actor: { kind: 'operator', name: userInfo().username, from: hostname() },
      subject: id,
      before: { suspended: false },
      after: { suspended: true },
    })
    await cli.done('key', 'revoke', liveId)
    expect(await access(again.key)).to.equal('API_ACCESS_NOT_ACTIVE')
    const resumed = await cli.admin(['key', 'resume', liveId, '--json'])
    expect(resumed.exitCode).to.be.greaterThan(0)
    expect(resumed.stdout).to.equal('')
  })

  it('switches the developer API off and on in every process within 5 s', async () => {
    const beside = await openSecondProcess(service)
    const isOff = async ({ http }: Service) => (await http.get('/api/v1/dev/intents')).status === 503
    const position = () => Promise.all([service, beside].map(isOff))
    await cli.done('api', 'off')
    await waitFor('off at both', async () => !(await position()).includes(false), 5000)
    await cli.done('api', 'on')
    await waitFor('on at both', async () => !(await position()).includes(true), 5000)
    await beside.close()
  })

  it('prints plain lines, or a single JSON object with --json', async () => {
    const args = ['business', 'create', '--name', 'X']
    const withJson = cli.throughNpm([...args, '--live', '--json'])
    const [plain, viaNpm] = await Promise.all([cli.admin(args), withJson])
    expect(viaNpm.exitCode).to.equal(0)
    expect(viaNpm.stdout.trim().split('\n')).to.have.lengthOf(1)
    expect(JSON.parse(viaNpm.stdout)).to.have.all.keys('id')
    const { id } = JSON.parse(viaNpm.stdout)
    expect(await service.deps.Business.findById(id).lean()).to.include({ liveApproved: true })
    expect(plain.stdout).to.match(/^id: \w+\n$/)
  })

  it('prints help for --help, even without a database or environment variables', async () => {
    const closing = ['business unapprove', 'business disable', 'business suspend']
    const commands = ['key', 'key create', ...closing]
    const nothing = { MONGODB_URL: undefined, REDIS_URL: undefined, SECRET_KEY: undefined }
    const helpOf = (command: string) => cli.admin([...command.split(' '), '--help'], nothing)
    const outcomes = await Promise.all(commands.map(helpOf))
    outcomes.forEach(({ exitCode, stdout }, index) => {
      expect(exitCode, commands[index]).to.equal(0)
      expect(stdout).to.match(/^Usage: /)
      expect(stdout).to.include(commands[index])
    })
    for (const command of ['create', 'suspend', 'resume', 'revoke', 'rotate'])
      expect(outcomes[0]?.stdout).to.include(`${command} `)
    for (const { stdout } of outcomes.slice(-closing.length))
      expect(stdout)
        .to.match(/^Closes: /m)
        .and.match(/^Stays open: /m)
        .and.match(/^Undo with: business /m)
  })

  it('loads only the packages that a command needs', async () => {
    const packagesOf = async (...args: string[]) => {
      const { stdout, stderr } = await cli.admin(args, { NODE_OPTIONS: listModules })
      expect(stdout).to.match(/^(Usage|ID|None)/)
      return new Set(Array.from(stderr.matchAll(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/g), ([, name]) => name))
    }
    const onlyServers = 'express bullmq ioredis prom-client @bull-board/api @opentelemetry/api'.split(' ')
    const [help, helpOfCreate, list] = await Promise.all([
      packagesOf('--help'),
      packagesOf('business', 'create', '--help'),
      packagesOf('business', 'list'),
    ])
    expect(list).to.include.all.keys('commander', 'mongoose').and.not.to.have.any.keys(onlyServers)
    for (const packages of [help, helpOfCreate])
      expect(packages)
        .to.include('commander')
        .and.not.to.have.any.keys('mongoose', 'mongodb', 'ajv', 'pino', '@node-rs/argon2', ...onlyServers)
  })

  it('ends quietly if its output pipe is closed', async () => {
    const [piped, full] = await Promise.all([
      cli.inShell('{ admin audit export; echo "code $?" >&2; } | true'),
      cli.inShell('admin business list > /dev/full'),
    ])
    expect(piped).to.deep.equal({ exitCode: 0, stdout: '', stderr: 'code 141\n' })
    expect(full.exitCode).to.equal(1)
    expect(full.stderr).to.match(/^The output could not be written: .*ENOSPC.*\n$/)
  })

  it('changes nothing if a command fails, and exits with a non-zero code', async () => {
    const { businessId } = await service.merchant()
    const create = ['business', 'create', '--name', 'X']
    const key = ['key', 'create', '--business', businessId, '--mode', 'test', '--kind', 'secret']
    const wrong: [about: RegExp, args: string[], changes?: Record<string, string | undefined>][] = [
      [/^error: unknown option '--lvie'\n\(Did you mean --live\?\)\n/, [...create, '--lvie']],
      [/There is no business unknown/, ['business', 'approve', 'unknown']],
      [/'Evil\\u\{1b\}\[31m\\u\{a\}' is invalid/, ['business', 'create', '--name', 'Evil\u001B[31m\n']],
      [/at least one of/, ['business', 'limit', businessId]],
      [/from 1 to/, ['business', 'limit', businessId, '--live-codes', '0']],
      [/all/, [...key, '--scopes', 'payments.intents:read,all']],
      [
        /cannot use payments\.refunds:write, but only payments\.intents:read\.$/m,
        [...key, '--kind', 'publishable', '--scopes', 'payments.intents:read,payments.refunds:write'],
      ],
      [/SECRET_KEY is missing/, create, { SECRET_KEY: undefined }],
      [
        /^MongoDB cannot be reached at 127\.0\.0\.1:1 \(MONGODB_URL\): (?!.*secret)/,
        create,
        { MONGODB_URL: 'mongodb://admin:secret@127.0.0.1:1/x?serverSelectionTimeoutMS=100' },
      ],
      [
        /MONGODB_URL must contain a database name/,
        ['key', 'list'],
        { MONGODB_URL: 'mongodb://127.0.0.1:1/' },
      ],
      [/unknown command 'nonsense'/, ['nonsense', '--help']],
      [/unknown command 'nonsense'/, ['key', 'nonsense', '--help']],
      [/from 1 to 500/, ['key', 'list', '--limit', '501']],
      [/conflicts|cannot be used with/, ['business', 'list', '--live', '--not-live']],
    ]
    const { Business, ApiKey } = service.deps
    const count = async () => [await Business.countDocuments(), await ApiKey.countDocuments()]
    const before = await count()
    const run = ([, args, changes]: (typeof wrong)[0]) => cli.admin(['--json', ...args], changes)
    const outcomes = await Promise.all(wrong.map(run))
    outcomes.forEach(({ exitCode, stdout, stderr }, index) => {
      const [about, args] = wrong[index] as (typeof wrong)[0]
      expect(exitCode, args.join(' ')).to.be.greaterThan(0)
      expect(stdout, args.join(' ')).to.equal('')
      expect(stderr).to.match(about)
      expect(stderr).not.to.match(/\n\s+at /)
      expect(stderr).not.to.match(/[^\P{Cc}\n]/u)
    })
    expect(await count()).to.deep.equal(before)
  })
})
