import fc from 'fast-check'
import { expect, it, describe as suite } from 'vitest'
import { describe, MOST_DESCRIPTION_CHARS } from './description.ts'

suite('describe', () => {
  it.each([
    ['# desc: run the checks\n', 'run the checks'],
    ['// desc: run the checks', 'run the checks'],
    ['/* desc: run the checks */', 'run the checks'],
    [' * desc: run the checks', 'run the checks'],
    ['-- desc: run the checks', 'run the checks'],
    ['; desc: run the checks', 'run the checks'],
    ['% desc: run the checks', 'run the checks'],
    ['<!-- desc: run the checks -->', 'run the checks'],
    ['(* desc: run the checks *)', 'run the checks'],
    ['{- desc: run the checks -}', 'run the checks'],
    ['"""desc: run the checks"""', 'run the checks'],
    ['" desc: run the checks', 'run the checks'],
    ['REM desc: run the checks', 'run the checks'],
    [':: desc: run the checks', 'run the checks'],
    ['dnl desc: run the checks', 'run the checks'],
    ['#  DESC :  run the checks  ', 'run the checks'],
    ['#desc:run the checks', 'run the checks'],
    ['# desc：run the checks', 'run the checks'],
    ['# description: run the checks', 'run the checks'],
    ['---\ndesc: run the checks\n---', 'run the checks'],
    ['\ufeff# desc: run the checks', 'run the checks'],
    ['\ufeff#!/bin/sh\r\n# desc: run the checks\r\n', 'run the checks'],
    ['# desc: a `tick`,\ta tab and\u202e a turn', 'a `tick`, a tab and a turn'],
    ['# desc: first\n# desc: second', 'first'],
    ['# a comment\n# desc: the description', 'the description'],
  ])('finds the description in %j', (head, expected) => {
    expect(describe(head)).toBe(expected)
  })

  it.each([
    ['#!/usr/bin/env python3\nprint(1)', ''],
    ['#!/usr/bin/env python3\n# checks the links\nprint(1)', 'checks the links'],
    ['#!/bin/sh\n# -*- coding: utf-8 -*-\n# checks the links', 'checks the links'],
    ['# eslint-disable\n// checks the links', 'checks the links'],
    ['"""Checks the links."""\nimport os', 'Checks the links.'],
    ['"""\nChecks the links.\n"""', 'Checks the links.'],
    ["r'''Checks the links.'''", 'Checks the links.'],
    ['# Why SQLite\n\nBecause.', 'Why SQLite'],
    ['/**\n * Checks the links.\n */', 'Checks the links.'],
    ['# desc:\n# checks the links', 'checks the links'],
    ['# desc:', ''],
    ['# no\n', ''],
    ['print(1)', ''],
    ['', ''],
    [`${'x=1\n'.repeat(8)}# desc: too late`, ''],
    ['const a = { desc: "no" }', ''],
    ['# desc: bytes\0', ''],
  ])('falls back in %j', (head, expected) => {
    expect(describe(head)).toBe(expected)
  })

  it('cuts at a whole character', () => {
    expect([...describe(`# desc: ${'w '.repeat(3000)}`)]).toHaveLength(MOST_DESCRIPTION_CHARS)
    expect(describe(`# desc: ${'😀'.repeat(300)}`)).toBe(`${'😀'.repeat(MOST_DESCRIPTION_CHARS - 1)}…`)
  })

  it('is one line of limited length, whatever the file holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (head) => {
        const text = describe(`# desc: ${head}`)
        expect([...text].length).toBeLessThanOrEqual(MOST_DESCRIPTION_CHARS)
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u)
      }),
    )
  })

  it('takes time in proportion to what it is given', () => {
    const started = performance.now()
    describe(`# ${'-'.repeat(200_000)}`)
    describe(`# desc: ${' '.repeat(200_000)}x`)
    describe(`${' '.repeat(200_000)}x`)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
