import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { scriptDanger, scriptDangers } from './script-dangers.ts'

const harmlessPython = [
  'print(1 + 1)',
  'from hermes_tools import read_file, web_search\nprint(read_file("a.txt")["content"])',
  'import json, re\nfrom collections import Counter\nprint(Counter(re.findall(r"\\w+", "a b a")).most_common(2))',
  'import datetime as dt\nprint(dt.date(2026, 1, 1) - dt.date(2025, 1, 1))',
  'text = "please open the file and exec os.system"\nprint(len(text))',
  '# subprocess and eval are only spoken of here\nprint("ok")',
  "for i in range(3):\n    r = terminal(f'echo {i}')\n    print(r['output'])",
  'if __name__ == "__main__":\n    print("main")',
  'from urllib.parse import quote\nprint(quote("a b"))',
  'from statistics import mean\nprint(mean([1, 2, 3]))',
  'print("""a long\ntext with open() in it""")',
]

const dangerousPython = [
  'import os\nos.remove("x")',
  'import subprocess\nsubprocess.run(["ls"])',
  'open("x", "w").write("y")',
  '__import__("os").system("ls")',
  'eval("1")',
  'exec("import os")',
  'print(().__class__.__bases__[0].__subclasses__())',
  'import random\nrandom._os.system("ls")',
  'from random import _os',
  'from uuid import os',
  'import socket',
  'import urllib.request\nurllib.request.urlopen("http://x")',
  'from pathlib import Path\nPath("x").unlink()',
  'print(f"{open(\'x\').read()}")',
  "print(f\"{__import__('os').system('ls')}\")",
  'getattr(json, "x")',
  'import ctypes',
  'import numpy',
  'import json; import shutil',
  'x = "unfinished',
  'from operator import attrgetter',
  'import string\nstring.Formatter()',
  'print(read_file("~/.ssh/id_rsa"))',
  'print("\u202e")',
  'import typing\ntyping.get_type_hints(x)',
]

const harmlessJavascript = [
  'console.log(1 + 1)',
  "import { read_file } from 'hermes_tools'\nconst { content } = await read_file('a.txt')\nconsole.log(content.length)",
  "import { web_extract, terminal } from 'hermes_tools'\nfor (const i of [1, 2]) console.log(await terminal(`echo ${i}`))",
  "import { inspect } from 'node:util'\nconsole.log(inspect({ a: 1 }))",
  "console.log(['b', 'a'].sort().join(','), new Map([['a', 1]]).get('a'))",
  "console.log(new URL('https://a.example/x').pathname)",
]

const dangerousJavascript = [
  "import fs from 'node:fs'",
  "import { rmSync } from 'fs'",
  "await import('node:fs')",
  'process.exit(1)',
  "require('fs')",
  "await fetch('http://x')",
  'const u = "http://x"; fetch(u)',
  'const x = /"/; fetch(u); const y = /"/',
  "eval('1')",
  "(() => {})['constr' + 'uctor']('return this')()",
  "(() => {}).constructor('return this')()",
  'globalThis.x',
  "import 'node:child_process'",
  "export { x } from 'node:net'",
  'const \\u0065val = 1',
  'import.meta.url',
]

test('scripts that only compute, print and call tools need no consent', () => {
  for (const code of harmlessPython) assert.deepEqual(scriptDangers(code, 'python'), [], code)
  for (const code of harmlessJavascript) assert.deepEqual(scriptDangers(code, 'javascript'), [], code)
})

test('scripts that reach beyond do', () => {
  for (const code of dangerousPython) assert.deepEqual(scriptDangers(code, 'python'), [scriptDanger], code)
  for (const code of dangerousJavascript) assert.deepEqual(scriptDangers(code, 'javascript'), [scriptDanger], code)
  assert.deepEqual(scriptDangers(`print(1)${' '.repeat(200_000)}`, 'python'), [scriptDanger])
})

test('looking through a long script takes no long time', () => {
  const startedAt = processorMs()
  for (const code of ['"'.repeat(90_000), 'f"{'.repeat(30_000), 'import x,'.repeat(10_000), '#'.repeat(90_000)]) {
    scriptDangers(code, 'python')
    scriptDangers(code, 'javascript')
  }
  assert.ok(processorMs() - startedAt < 5_000)
})
