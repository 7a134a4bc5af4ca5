import { join } from 'node:path'
import { startCommand } from '../dev/command.ts'
import { built } from '../support/built.ts'

/** Claims an older version, and lets no module load but the program itself and its check. */
const older = `data:text/javascript,
import { registerHooks } from 'node:module';
Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });
registerHooks({
  load(url, context, next) {
    if (url === 'file://' + process.argv[1] || url.endsWith('/require-node.js')) return next(url, context);
    throw new SyntaxError(url)
  },
})`

describe('A program in the build', () => {
  for (const program of ['src/server.js', 'workers/main.js', 'src/release.js', 'src/admin/main.js'])
    it(`refuses an older Node.js in one line before loading anything else: ${program}`, async () => {
      const command = startCommand([process.execPath, '--import', older, join(built(), program), '--help'])
      expect(await command.ended).to.deep.equal({ code: 1, signal: null })
      expect(command.output).to.deep.equal({
        stdout: '',
        stderr: 'Node.js 20.20.2 is too old. Install Node.js 24 (24.12 or later).\n',
      })
    })
})
