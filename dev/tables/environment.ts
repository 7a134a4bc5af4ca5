import { environmentSchema } from '../../schemas/environment.ts'
import { envFormats } from '../../src/config/formats.ts'
import { code, tableOf } from '../markdown.ts'

interface Variable {
  description: string
  format?: string
  enum?: readonly string[]
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  default?: string | number | boolean
}

const variables = Object.entries<Variable>(environmentSchema.properties)
const required: readonly string[] = environmentSchema.required

function allowed(variable: Variable): string {
  if (/^The (same|previous)/.test(variable.description)) return ''
  if (variable.enum) return ` ${variable.enum.map(code).join(', ')}.`
  if (variable.format) {
    const hint = envFormats[variable.format]?.hint('') ?? ''
    // deploy.md shows the forms of URLs.
    if (hint.includes('://')) return ''
    const values = hint.replace(/: remove.*/, '').replace(/^must (be|have) /, '')
    return ` ${values.charAt(0).toUpperCase() + values.slice(1)}.`
  }
  const { minimum, exclusiveMinimum, maximum } = variable
  if (maximum === undefined || maximum >= 65_535) return ''
  return exclusiveMinimum === undefined
    ? ` ${minimum} to ${maximum}.`
    : ` Above ${exclusiveMinimum}, at most ${maximum}.`
}

const defaultOf = (name: string, variable: Variable): string =>
  required.includes(name) ? 'required' : variable.default === undefined ? '' : code(String(variable.default))

export const environmentTable = (): string =>
  tableOf(
    ['Variable', 'Default', 'Meaning'],
    variables.map(([name, variable]) => [
      code(name),
      defaultOf(name, variable),
      variable.description + allowed(variable),
    ]),
  )
