import { basename } from 'node:path'

/**
 * Returns the command line of the npm that runs this command, or of the one on the PATH.
 * @returns {[string, ...string[]]}
 */
export function npm(node, ...args) {
  const script = process.env.npm_execpath
  return script && basename(script).startsWith('npm') ? [node, script, ...args] : ['npm', ...args]
}
