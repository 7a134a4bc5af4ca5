import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { findMongod } from '../../dev/setup/mongodb.mjs'
import { findRedisServer } from '../../dev/setup/redis.mjs'
import { startCommand } from './command.ts'
import { withCopyOfDev } from './copy-of-dev.ts'

describe('The setup script', () => {
  let empty: string
  const copy = withCopyOfDev('test')

  beforeEach(async () => {
    empty = await mkdtemp(join(tmpdir(), 'payment-intents-setup-'))
  })

  afterEach(() => rm(empty, { recursive: true }))

  /** The environment of a machine without programs, cache and network. */
  const nothing = () => ({
    PATH: empty,
    HOME: empty,
    XDG_CACHE_HOME: empty,
    HTTPS_PROXY: 'http://127.0.0.1:9',
  })

  async function run(name: string, env: NodeJS.ProcessEnv) {
    const command = startCommand([process.execPath, 'dev/setup.mjs', name], { cwd: copy.folder, env })
    const { code } = await command.ended
    const lines = command.output.stderr.trim().split('\n')
    return { code, lines, last: lines.at(-1), stdout: command.output.stdout }
  }

  it('prints a single line that lists every way to provide the missing programs', async () => {
    await copy.usePackages()
    const { code, lines, last, stdout } = await run('stack', nothing())
    expect(code).to.equal(1)
    expect(stdout).to.equal('')
    expect(last).to.match(/^No MongoDB: set MONGODB_URL, .* No Redis: set REDIS_URL, .* docker compose up$/)
    expect(lines.filter((line) => line.startsWith('No '))).to.have.length(1)
    expect(lines.join('\n'))
      .to.contain('MongoDB: no mongod on the PATH')
      .and.to.contain('Redis: no redis-server')
  })

  it('never runs the tests against a server that the script did not start', async () => {
    await copy.usePackages()
    const given = { MONGODB_URL: 'mongodb://db.example', REDIS_URL: 'redis://db.example' }
    const { code, last } = await run('test', { ...nothing(), ...given })
    expect(code).to.equal(1)
    expect(last)
      .to.match(/^No MongoDB/)
      .and.not.to.contain('_URL')
  })

  it('uses the programs on the PATH, except programs that fail to start', async () => {
    await copy.usePackages()
    await symlink((await findRedisServer()).path, join(empty, 'redis-server'))
    await writeFile(join(empty, 'mongod'), '#!/bin/sh\necho broken >&2; exit 1\n', { mode: 0o755 })
    const { code, lines, last } = await run('stack', nothing())
    expect(code).to.equal(1)
    expect(lines).to.include(`MongoDB: ${join(empty, 'mongod')} (on the PATH) does not run: broken`)
    expect(last)
      .to.match(/^No MongoDB/)
      .and.not.to.contain('No Redis')
  })

  it('finds the browser for the tests, or explains in one line how to install one', async () => {
    await copy.usePackages()
    const without = await run('test:browser', nothing())
    expect(without.code).to.equal(1)
    expect(without.last).to.match(/^No Chromium: put chromium, .* on the PATH, or .* apt-get as root\.$/)
    const browser = join(empty, 'chromium')
    await writeFile(browser, '#!/bin/sh\necho Chromium 149.0.1 built on Debian\n', { mode: 0o755 })
    const { lines, last } = await run('test:browser', nothing())
    expect(lines).to.include(`Chromium 149.0.1: ${browser}, on the PATH`)
    expect(last).to.match(/^No MongoDB/)
  })

  it('runs the given command with the servers that it has found', async () => {
    await copy.usePackages()
    await symlink((await findRedisServer()).path, join(empty, 'redis-server'))
    const env = { ...nothing(), MONGOMS_SYSTEM_BINARY: (await findMongod()).path }
    await writeFile(
      join(copy.folder, 'dev', 'demo.ts'),
      'console.log(process.env.MONGOMS_SYSTEM_BINARY, process.env.REDISMS_SYSTEM_BINARY); process.exitCode = 7',
    )
    const { code, stdout } = await run('demo', env)
    expect(stdout.trim()).to.equal(`${env.MONGOMS_SYSTEM_BINARY} ${join(empty, 'redis-server')}`)
    expect(code).to.equal(7)
  })

  it('installs the packages if they are missing', async () => {
    const script = join(empty, 'npm-cli.js')
    await writeFile(script, 'console.log(process.argv.slice(2).join(" ")); process.exitCode = 1')
    const { code, last } = await run('stack', { ...nothing(), npm_execpath: resolve(script) })
    expect(code).to.equal(1)
    expect(last).to.equal('ci --include=dev --ignore-scripts')
  })
})
