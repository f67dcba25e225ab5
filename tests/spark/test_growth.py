"""What `make scale` measures on a cluster, in small."""

import pytest
from benchmarks.growth import Size, clusters
from benchmarks.growth.work import Work


@pytest.mark.parametrize("stage", [clusters.randomize, clusters.count])
def test_a_stage_is_measured(stage, spark, tmp_path):
    assert 0 < stage(spark, Work(Size(500, 8), tmp_path)) < 60
