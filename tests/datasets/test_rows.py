"""Files of votes with their raters."""

import numpy as np
import pytest

from plaudit.datasets import read_rows
from plaudit.errors import VoteFileError
from plaudit.scale import FUNNY


@pytest.fixture
def written(tmp_path):
    def write(*lines):
        file = tmp_path / "votes.csv"
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    return write


def test_rows_of_raters(written):
    file = written("Item;Rater;Value;note", "tea;ann;1;x", "coffee;ann;0,5".replace(",", ".") + ";",
                   "tea;bob;0;", "milk;cy;0.25;")  # fmt: skip
    table = read_rows(file)
    assert table.items == ("tea", "coffee", "milk")
    assert table.raters == ("ann", "bob", "cy")
    nan = np.nan
    expected = [[1.0, 0.5, nan], [0.0, nan, nan], [nan, nan, 0.25]]
    assert np.array_equal(table.votes, expected, equal_nan=True)
    assert table.scale is None


def test_labels_and_a_scale(written):
    table = read_rows(written("rater,item,label", "a,x,funny", "a,y,Unfunny"), scale=FUNNY)
    assert table.votes.tolist() == [[1.0, 0.0]]
    assert table.scale == FUNNY
    table = read_rows(written("rater,item,value", "a,x,0.3", "a,y,1"), scale=FUNNY)
    assert table.scale is None
    assert "not all on the scale" in table.warnings[0]


EXPORT = (
    "position,time,rater,item,text,level,value,algorithm,response_ms,kind,counted,counts_for,"
    "excluded"
)


def test_the_export_of_a_contest(written):
    table = read_rows(
        written(
            EXPORT,
            "1,t,aa,10,Ten,Funny,1.0,plaudit,900,vote,yes,10,",
            "2,t,aa,2,Two,Unfunny,0.0,plaudit,900,vote,yes,2 7,",
            "3,t,aa,3,Three,,,plaudit,900,skip,yes,,",
            "4,t,bb,2,Two,Funny,1.0,plaudit,900,vote,no,,votes",
            "5,t,cc,2,Two,Funny,1.0,plaudit,900,vote,yes,2,",
        )
    )
    # Item 7 stands for others and has no votes of its own.
    assert table.items == ("Two", "7", "Ten")
    assert table.raters == ("aa", "cc")
    assert np.array_equal(table.votes, [[0.0, 0.0, 1.0], [1.0, np.nan, np.nan]], equal_nan=True)
    assert "1 votes do not count" in table.warnings[0]


@pytest.mark.parametrize(
    ("lines", "words", "line"),
    [
        (("item,value", "a,1"), "Missing: rater", 1),
        (("rater,item", "a,1"), "Missing: value", 1),
        (("rater,item,label", "a,x,Funny"), "labels need a scale", 1),
        (("rater,item,value", "a,x,1", "b,x,1", "a,x,1"), "second vote", 4),
        (("rater,item,value", ",x,1"), "rater's name is empty", 2),
        (("rater,item,value", "a, ,1"), "item's name is empty", 2),
        (("rater,item,value", "a,x,3"), "outside", 2),
        ((EXPORT, "4,t,bb,2,Two,Funny,1.0,plaudit,900,vote,no,,votes"), "No vote", None),
    ],
)
def test_files_that_are_refused(written, lines, words, line):
    with pytest.raises(VoteFileError, match=words) as caught:
        read_rows(written(*lines))
    assert caught.value.line == line
