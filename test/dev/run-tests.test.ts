import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startCommand } from './command.ts'
import { withCopyOfDev } from './copy-of-dev.ts'

describe('npm test', () => {
  const copy = withCopyOfDev()
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(copy.folder, name)), { recursive: true })
    await writeFile(join(copy.folder, name), text)
  }
  const writeServers = (begin: string) =>
    write(
      'test/support/servers.ts',
      `export const setSlowness = () => {}, begin = ${begin}, mochaHooks = {}, end = async () => {}`,
    )
  before(async () => {
    await copy.usePackages()
    await writeServers('async () => {}')
    await cp('test/support/beat.mjs', join(copy.folder, 'test/support/beat.mjs'))
  })
  beforeEach(() => write('test/api/holds.test.ts', "it('holds', () => {}); it('holds too', () => {})"))

  const run = async (...args: string[]) => {
    const env = { ...process.env, TEST_LINGER_MS: '500' }
    const command = startCommand([process.execPath, 'dev/tests/run.ts', ...args], { cwd: copy.folder, env })
    const { code } = await command.ended
    const { stdout } = command.output
    return { code, stdout, last: stdout.trim().split('\n').at(-1) }
  }

  it('runs every file of its suite and ends with the failures and totals', async () => {
    await write('test/two.test.ts', "it('breaks', () => { throw new Error('broken') }); it.skip('waits')")
    await write('test/kills/three.test.ts', "it('belongs to another suite', () => {})")
    const { code, stdout, last } = await run('test')
    expect([code, last]).to.deep.equal([1, '2 passed, 1 failed, 1 skipped'])
    expect(stdout.split('Failed:')[1]).to.match(
      /test\/two\.test\.ts, with the machine .*:\n\s+breaks:\s+Error: broken/,
    )
    expect(stdout).to.match(/^\d+ s, and \d+ s of processor time\. The machine was /m)
    expect(stdout).to.include('Skipped:\n  waits\n')
  })

  it('runs only the named files, and with --grep only tests with a matching title', async () => {
    expect(await run('test', 'test/api', '--grep', 'too')).to.include({ code: 0, last: '1 passed, 0 failed' })
  })

  const faults = {
    'a test fails': ["it('breaks', () => { throw new Error('broken') })", 'broken'],
    'a hook fails': [
      "describe('x', () => { after(() => { throw new Error('hooked') }); it('y', () => {}) })",
      'hooked',
    ],
    'a file cannot be loaded': ["import './missing.ts'", 'cannot be loaded'],
    'a test is the only one': ["it.only('runs alone', () => {})", 'cannot be loaded'],
    'a process dies': [
      "it('dies', () => process.exit(0))",
      'The process ended (0) during test/fault.test.ts',
    ],
    'a test leaves something open': [
      "it('opens', () => { setInterval(() => {}, 1000) })",
      'Left open at the end: Timeout. First seen after test/fault.test.ts',
    ],
    'an error is thrown between the tests': [
      "it('throws later', () => { setImmediate(() => { throw new Error('late') }) })",
      'late',
    ],
  }
  for (const [what, [source = '', reason = '']] of Object.entries(faults))
    it(`counts a failure and exits with 1 if ${what}`, async () => {
      await write('test/fault.test.ts', source)
      const { code, stdout, last } = await run('test', 'test/fault.test.ts', 'test/api')
      expect(code).to.equal(1)
      expect(last).to.match(/^\d+ passed, 1 failed$/)
      expect(stdout.split('Failed:')[1]).to.include(reason)
    })

  it("fails at once if its servers can't start", async () => {
    await writeServers("async () => { throw new Error('no port') }")
    const { code, stdout } = await run('test', 'test/api')
    await writeServers('async () => {}')
    expect([code, stdout.includes('no port')]).to.deep.equal([1, true])
  })

  it('fails if it is stopped early', async () => {
    await write('test/stops.test.ts', "it('stops the run', (done) => void process.kill(process.ppid))")
    const { code, stdout, last } = await run('test', 'test/stops.test.ts')
    expect([code, last]).to.deep.equal([1, '0 passed, 1 failed'])
    expect(stdout).to.include('Stopped by SIGTERM after 0 of 1 files')
  })

  it('fails if no test ran', async () => {
    expect(await run('test', 'test/api', '--grep', 'nothing')).to.include({
      code: 1,
      last: '0 passed, 0 failed',
    })
  })
})
