import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWanted } from '../../dev/setup/node.mjs'
import { builds } from '../../dev/setup/node-builds.mjs'
import { findMongod, findRedisServer } from '../../dev/setup/servers.mjs'
import { startCommand } from './command.ts'
import { withCopyOfDev } from './copy-of-dev.ts'

const wrapper = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`
const pretending = (as: { node: string; platform?: string }) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${as.node}' } });
  Object.defineProperty(process, 'platform', { value: '${as.platform ?? process.platform}' })`,
]
const older = pretending({ node: '20.19.0' })
const platform = `${process.platform}-${process.arch}`

describe('The setup script', () => {
  let empty: string
  const copy = withCopyOfDev('test')

  beforeEach(async () => {
    empty = await mkdtemp(join(tmpdir(), 'payment-intents-setup-'))
  })

  afterEach(() => rm(empty, { recursive: true }))

  const nothing = () => ({
    PATH: empty,
    HOME: empty,
    XDG_CACHE_HOME: empty,
    HTTPS_PROXY: 'http://127.0.0.1:9',
  })

  async function run(name: string, env: NodeJS.ProcessEnv, flags: string[] = []) {
    const words = [...flags, 'dev/setup.mjs', ...name.split(' ')]
    const command = startCommand([process.execPath, ...words], { cwd: copy.folder, env })
    const { code } = await command.ended
    const lines = command.output.stderr
      .trim()
      .split('\n')
      .filter((line) => !line.includes(' … '))
    return { code, lines, last: lines.at(-1), stdout: command.output.stdout }
  }

  it('names every missing program and all ways to install it in a single line', async () => {
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

  it('never runs the tests against a server that it did not start', async () => {
    await copy.usePackages()
    const given = { MONGODB_URL: 'mongodb://db.example/pi', REDIS_URL: 'redis://db.example' }
    const { code, last } = await run('test', { ...nothing(), ...given })
    expect(code).to.equal(1)
    expect(last)
      .to.match(/^No MongoDB/)
      .and.not.to.contain('_URL')
  })

  it('finds a browser for the tests, or says how to install one', async () => {
    await copy.usePackages()
    const without = await run('test:full', nothing())
    expect(without.code).to.equal(1)
    expect(without.last).to.match(/^No Chromium: put chromium, .* on the PATH, or .* apt-get as root\.$/)
    const browser = join(empty, 'chromium')
    await writeFile(browser, '#!/bin/sh\necho Chromium 149.0.1 built on Debian\n', { mode: 0o755 })
    const { lines, last } = await run('test:full', nothing())
    expect(lines).to.include(`Chromium 149.0.1: ${browser}, on the PATH`)
    expect(last).to.match(/^No MongoDB/)
  })

  it('runs the given command with the servers it has found', async () => {
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

  async function withProgram(
    text = 'console.log(process.env.PATH, ...process.argv.slice(2)); process.exitCode = 7',
  ) {
    await copy.usePackages()
    await writeFile(join(copy.folder, 'dev', 'figures.ts'), text)
  }

  it('uses a Node.js 24 from later on the PATH if the first Node.js is older', async () => {
    await withProgram()
    await writeFile(join(empty, 'node'), wrapper, { mode: 0o755 })
    const { code, lines, stdout } = await run('figures --all', nothing(), older)
    expect({ code, lines, stdout }).to.deep.equal({
      code: 7,
      lines: [''],
      stdout: `${empty}:${empty} --all\n`,
    })
  })

  async function withOlderNode(binary: string) {
    await withProgram()
    await mkdir(join(empty, 'package/bin'), { recursive: true })
    await writeFile(join(empty, 'package/bin/node'), binary, { mode: 0o755 })
    const archive = join(empty, 'packed.tgz')
    execFileSync('tar', ['-cf', archive, '-C', empty, 'package'])
    await symlink(
      execFileSync('sh', ['-c', 'command -v tar'], { encoding: 'utf8' }).trim(),
      join(empty, 'tar'),
    )
    const npm = join(empty, 'npm-cli.js')
    await writeFile(npm, `require('fs').cpSync('${archive}', process.argv.at(-1) + '/packed.tgz')`)
    const sha512 = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')
    return { env: { ...nothing(), npm_execpath: npm, XDG_CACHE_HOME: join(empty, 'cache') }, npm, sha512 }
  }

  async function listInTable(sha512: string) {
    const build = { name: 'node-here', version: '24.12.3', sha512 }
    const text = `export const builds = ${JSON.stringify({ [platform]: build })}`
    await writeFile(join(copy.folder, 'dev/setup/node-builds.mjs'), text)
  }

  it('fetches Node.js 24 once if the only Node.js is older', async () => {
    const { env, npm, sha512 } = await withOlderNode(wrapper)
    await listInTable(sha512)
    const first = await run('figures', env, older)
    const kept = join(env.XDG_CACHE_HOME, 'payment-intents', `node-24.12.3-${platform}`)
    expect([first.code, first.stdout]).to.deep.equal([7, `${kept}:${empty}\n`])
    expect(first.lines).to.deep.equal([`Node.js 24.12.3: ${kept}/node, from npm`])
    await rm(npm)
    expect(await run('figures', env, older)).to.include({ code: 7, last: '', stdout: first.stdout })
  })

  it("leaves nothing behind if the checksum is wrong or the program doesn't run", async () => {
    const { env, sha512 } = await withOlderNode('#!/bin/sh\necho no libstdc++\n')
    const faults = {
      wrong: 'its SHA512 checksum is wrong, so it was removed',
      [sha512]: 'does not run: no libstdc++',
    }
    for (const [listed, fault] of Object.entries(faults)) {
      await listInTable(listed)
      const { code, lines, last } = await run('figures', env, older)
      expect([code, lines.length]).to.deep.equal([1, 1])
      expect(last)
        .to.include(fault)
        .and.match(/^Node\.js \S+ could not .*\. Install Node\.js 24, and .* PATH\.$/)
      expect(await readdir(join(env.XDG_CACHE_HOME, 'payment-intents')).catch(() => [])).to.deep.equal([])
    }
  })

  it("uses MongoDB's official build only with the right checksum", async () => {
    const build = { name: 'linux/mongodb-here', sha256: '' }
    const mongod = '#!/bin/sh\necho db version v8.2.6\n'
    await mkdir(join(empty, 'mongodb--8.2.6/bin'), { recursive: true })
    await writeFile(join(empty, 'mongodb--8.2.6/bin/mongod'), mongod, { mode: 0o755 })
    const archive = join(empty, 'official.tgz')
    execFileSync('tar', ['-czf', archive, '-C', empty, 'mongodb--8.2.6'])
    const sha256 = createHash('sha256')
      .update(await readFile(archive))
      .digest('base64')
    for (const name of ['tar', 'gzip', 'cp'])
      await symlink(
        execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
        join(empty, name),
      )
    const curl = '#!/bin/sh\nfor each; do case $last in -o) out=$each;; esac; last=$each; done\n'
    await writeFile(join(empty, 'curl'), `${curl}cp '${archive}' "$out"\n`, { mode: 0o755 })
    await copy.usePackages()
    const lines = async (listed: string) => {
      const table = JSON.stringify({ [platform]: { ...build, sha256: listed } })
      const text = `export const version = '8.2.6'\nexport const builds = ${table}`
      await writeFile(join(copy.folder, 'dev/setup/mongodb-builds.mjs'), text)
      const pretended = `data:text/javascript,process.report.getReport = () => ({ header: { glibcVersionRuntime: '2.39' } })`
      return (await run('stack', nothing(), ['--import', pretended])).lines
    }
    const wrong = await lines('wrong')
    expect(wrong).to.include('MongoDB: no official build: its SHA256 checksum is wrong, so it was removed')
    expect(await readdir(join(empty, 'payment-intents'))).to.deep.equal([])
    const kept = join(empty, 'payment-intents/mongodb-8.2.6/mongod')
    expect(await lines(sha256)).to.include(`MongoDB 8.2.6: ${kept}, the official build`)
  })

  it('explains in one line what to do on an unsupported platform or with an old Node.js', async () => {
    const { lines } = await run('types', nothing(), pretending({ node: '22.1.0', platform: 'sunos' }))
    expect(lines).to.deep.equal([
      `Node.js 24 is required, and no package provides it for sunos-${process.arch}. Install Node.js 24, and put it on the PATH.`,
    ])
    const tooOld = await run('types', nothing(), pretending({ node: '18.20.8' }))
    expect(tooOld.lines).to.deep.equal(['Node.js 20.19 or later is required. This is 18.20.8'])
  })

  it('knows a Node.js 24 checksum for each platform', async () => {
    expect(Object.keys(builds)).to.have.members(['darwin-x64', 'linux-arm64', 'linux-x64'])
    for (const { version, sha512 } of Object.values(builds))
      expect([isWanted(version), Buffer.from(sha512, 'base64').length]).to.deep.equal([true, 64])
    const wanted = ['24.12.0', '24.99.1', '24.11.9', '25.0.0', '20.19.0'].map(isWanted)
    expect(wanted).to.deep.equal([true, true, false, false, false])
    const { engines, scripts: all } = JSON.parse(await readFile('package.json', 'utf8'))
    expect(engines).to.deep.equal({ node: '>=24.12 <25' })
    expect(isWanted((await readFile('.node-version', 'utf8')).trim())).to.equal(true)
    expect((await readFile('Dockerfile', 'utf8')).match(/^FROM node:\d+/gm)).to.deep.equal(
      Array(2).fill('FROM node:24'),
    )
    const { start, ...scripts } = all
    expect(await readFile('Procfile', 'utf8')).to.include(`web: ${start}\n`)
    expect(Object.entries(scripts)).to.have.deep.members(
      Object.keys(scripts).map((name) => [name, `node dev/setup.mjs ${name}`]),
    )
  })
})
