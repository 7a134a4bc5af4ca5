import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { startCommand } from './command.ts'
import { withCopyOfDev } from './copy-of-dev.ts'

describe('npm test', () => {
  const copy = withCopyOfDev()
  before(async () => {
    await copy.usePackages()
    for (const name of ['test/api', 'test/kills']) await mkdir(join(copy.folder, name), { recursive: true })
    const settings = {
      extension: ['test.ts'],
      recursive: true,
      ignore: ['test/api/slow.test.ts'],
      reporter: resolve('test/support/reporter.ts'),
    }
    await writeFile(join(copy.folder, '.mocharc.json'), JSON.stringify(settings))
    const tests = {
      'test/api/one.test.ts': "it('holds', () => undefined); it('holds too', () => undefined)",
      'test/api/slow.test.ts': "it('is not run', () => { throw new Error('ran') })",
      'test/two.test.ts': "it('breaks', () => { throw new Error('broken') }); it.skip('waits')",
      'test/three.test.ts': "it('holds as well', () => undefined)",
      'test/four.test.ts': "it('holds no less', () => undefined)",
      'test/five.test.ts': "it('holds until the end', () => undefined)",
      'test/kills/six.test.ts': "it('belongs to another suite', () => undefined)",
    }
    for (const [name, text] of Object.entries(tests)) await writeFile(join(copy.folder, name), text)
  })

  const run = async (...args: string[]) => {
    const command = startCommand([process.execPath, 'dev/run-tests.mjs', 'test', ...args], {
      cwd: copy.folder,
    })
    const { code } = await command.ended
    return { code, stdout: command.output.stdout }
  }

  it('runs every test file in one of four parts, prints the failures and ends with the totals', async () => {
    const { code, stdout } = await run()
    expect(code).to.equal(1)
    expect(stdout.trim().split('\n').at(-1)).to.equal('5 passed, 1 failed, 1 skipped')
    expect(stdout).to.match(/1\) breaks:\s+Error: broken/)
    expect(stdout.match(/^\d+ passed/gm)).to.have.length(5)
  })

  it('runs the files in a single part if arguments are given, and passes the arguments on to mocha', async () => {
    const { code, stdout } = await run('--grep', 'holds')
    expect([code, stdout.match(/^\d+ passed, \d+ failed/gm)]).to.deep.equal([0, ['5 passed, 0 failed']])
  })
})
